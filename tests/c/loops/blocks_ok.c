/* A symbolic number of blocks is allocated and filled, one in each round, in one step. They are freed as usual. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int *block[6];
  unsigned n, k, m;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_make_symbolic(&m, sizeof m, "m");
  klee_assume(n <= 6);
  klee_assume((k < n) & (m < n));
  for (unsigned i = 0; i < n; i++) {
    int *p = malloc(2 * sizeof *p);
    p[0] = 10 * i;
    p[1] = -1;
    block[i] = p;
  }
  assert(block[k][0] == 10 * (int)k);
  block[k][1] = 42;
  assert((block[m][1] == 42) == (k == m));
  assert((block[k] == block[m]) == (k == m));
  for (unsigned i = 0; i < n; i++)
    free(block[i]);
  return 0;
}

// PATHS[planes]: <= 6
