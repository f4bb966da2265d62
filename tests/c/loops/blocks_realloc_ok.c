/* One of the blocks that a loop made grows: its bytes move with it, the others stay. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int *rows[4];
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), m = mneme_uint("m");
  mneme_assume(n >= 1 && n <= 4 && k < n && m < n);
  for (unsigned i = 0; i < n; i++) {
    rows[i] = malloc(2 * sizeof **rows);
    rows[i][0] = 5;
    rows[i][1] = i;
  }
  rows[k] = realloc(rows[k], 4 * sizeof **rows);
  rows[k][3] = 7;
  assert(rows[m][1] == (int)m);
  assert(rows[k][0] == 5);
  return 0;
}

// EXACT: true
