/* Loops with symbolic bounds, break, continue and goto. */
#include <klee/klee.h>

int main(void) {
  unsigned n;
  int sum = 0;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 5);
  for (unsigned i = 0;; i++) {
    if (i == n)
      break;
    if (i == 2)
      continue;
    sum += (int)i;
  }
  int k = 0;
again:
  if (++k < 3)
    goto again;
  do
    sum++;
  while (sum < 0);
  return sum + k;
}

// Paths are counted: none become one.
// RUN: --merge none
// PATHS: 6
// VALUES: 4*2 5*2 8*1 12*1
// EXACT: true
