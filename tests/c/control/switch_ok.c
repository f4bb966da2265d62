/* A switch on a symbolic value: one path for each group of equal targets. */
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  switch (x) {
  case 0:
    return 10;
  case 1:
  case 7:
    return 11;
  case 1000000:
    return 12;
  default:
    return 13;
  }
}

// PATHS[objects]: <= 5
// VALUES: 10 11 12 13
// EXACT: true
