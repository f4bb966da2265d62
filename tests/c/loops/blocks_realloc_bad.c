/* The block that was reallocated is gone, and nobody but its start can be reallocated. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int *rows[4];
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), m = mneme_uint("m"), what = mneme_uint("what");
  mneme_assume(n >= 1 && n <= 4 && k < n && m < n);
  for (unsigned i = 0; i < n; i++)
    rows[i] = calloc(2, sizeof **rows);
  int *more = realloc(rows[k], 4 * sizeof *more);
  if (what == 0)
    return rows[m][1]; // FAULT: use-after-free
  if (what == 1)
    more = realloc(rows[m], 4 * sizeof *more); // FAULT: double-free
  if (what == 2 && m != k)
    more = realloc(rows[m] + 1, 4 * sizeof *more); // FAULT: invalid-free
  if (what == 3)
    return more[4]; // FAULT: out-of-bounds-read
  return 0;
}

// EXACT: true
