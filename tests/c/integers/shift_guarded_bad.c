/* A guard that lets one distance too many through, where the compiler computes the shift before it looks at the guard. */
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  unsigned n, x;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(n <= 40);
  unsigned shifted = n <= 32 ? x << n : 7; // FAULT: invalid-shift
  if (shifted == 12)
    puts("twelve");
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// FAULTED: 1
// VALUES: 0
