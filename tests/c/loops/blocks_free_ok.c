/* Blocks that one loop made are freed by others, in one step each: some, then the rest. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 4
#endif

int main(void) {
  int *rows[CAPACITY];
  unsigned n = mneme_uint("n"), m = mneme_uint("m"), k = mneme_uint("k");
  mneme_assume(n >= 1 && n <= CAPACITY && m <= n && k < n);
  for (unsigned i = 0; i < n; i++) {
    rows[i] = malloc(2 * sizeof **rows);
    rows[i][1] = i;
  }
  for (unsigned i = 0; i < m; i++)
    free(rows[i]);
  if (k >= m)
    assert(rows[k][1] == (int)k);
  for (unsigned i = m; i < n; i++)
    free(rows[i]);
  return 0;
}

// RUN: --loops compact
// RUN: --loops compact -DCAPACITY=1000 #many
// MODELS[many]: planes
// RUN: --loops classic #classic
// PATHS[planes !classic]: 2
// EXACT: true
