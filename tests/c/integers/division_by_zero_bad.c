/* The average of no values. */
#include <klee/klee.h>

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 4);
  return (int)(100 / n) > 100; // FAULT: division-by-zero
}

// PATHS: 1
// FAULTED: 1
// VALUES: 0*1
