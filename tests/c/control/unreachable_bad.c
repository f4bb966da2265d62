/* A promise to the compiler that one input breaks. */
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x < 3);
  switch (x) {
  case 0:
    return 0;
  case 1:
    return 1;
  }
  __builtin_unreachable(); // FAULT: unreachable
}

// PATHS: 2
// FAULTED: 1
