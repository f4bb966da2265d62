/* A shift that has no result, and nobody who looks at it: the program does it all the same, unless the compiler has left it out. */
#include <klee/klee.h>

int shifted;

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 40);
  if (n > 3)
    shifted = 1 << n; // FAULT[own]: invalid-shift
  return 0;
}

// RUN: #own
// RUN: --cflags=-O0 #own
// RUN: --cflags=-O2 #optimised
// FAULTED[own]: 1
