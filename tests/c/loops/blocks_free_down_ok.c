/* Blocks that one loop made are freed by others, from the last on. */
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
  while (n > m)
    free(rows[--n]);
  if (k < n)
    assert(rows[k][1] == (int)k);
  while (n--)
    free(rows[n]);
  return 0;
}

// RUN: --loops compact --merge none
// RUN: --loops compact --merge none -DCAPACITY=1000 #many
// MODELS[many]: planes
// RUN: --loops classic #classic
// PATHS[planes !classic]: 3
// EXACT: true
