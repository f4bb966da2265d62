/* Counters that live in memory because their address is taken, and globals. */
#include <assert.h>
#include <klee/klee.h>

int total;

static void touch(int *p) {
  *p = 0;
}

int main(void) {
  int i, n;
  touch(&i);
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 0) & (n <= 15));
  for (; i < n; i++)
    total += 4;
  assert(i == n);
  assert(total == 4 * n);
  return 0;
}

// Paths are counted: none become one.
// RUN: --merge none
// PATHS[planes]: 1
// PATHS[!planes]: 16
