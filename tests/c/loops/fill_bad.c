/* The off-by-one of a fill is found with the one length that shows it, and the loop is told with its number of rounds. */
#include <klee/klee.h>

int main(void) {
  int a[10];
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 10);
  for (unsigned i = 0; i <= n; i++)
    a[i] = 7; // FAULT: out-of-bounds-write
  return a[0] != 7;
}

// Paths are counted: none become one.
// RUN: --merge none
// RUN: --loops compact --merge none #compact
// MODELS[compact]: objects planes-naive
// PATHS[planes, compact]: 1
// PATHS[!planes !compact]: 10
// FAULTED: 1
// VALUES: 0
