/* Blocks that one loop made are freed by others, from the last on. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int *rows[4];
  unsigned n = mneme_uint("n"), m = mneme_uint("m"), k = mneme_uint("k");
  mneme_assume(n >= 1 && n <= 4 && m <= n && k < n);
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

// RUN: --loops compact
// RUN: --loops classic
// EXACT: true
