/* With optimisation, clang makes a table of this `switch`: of pointers, not of distances between them. */
#include <klee/klee.h>

__attribute__((noinline)) static const char *name(unsigned x) {
  switch (x) {
  case 0:
    return "zero";
  case 1:
    return "one";
  case 2:
    return "two";
  case 3:
    return "three";
  case 4:
    return "four";
  default:
    return "many";
  }
}

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  return 10 / (name(x)[1] - 'w'); // FAULT: division-by-zero
}

// RUN:
// RUN: -O2
