/* Among the blocks that a loop frees some are there twice. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  char *rows[4], *single = malloc(1);
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), m = mneme_uint("m"), what = mneme_uint("what");
  mneme_assume(n >= 2 && n <= 4 && k < n && m < n && k != m);
  for (unsigned i = 0; i < n; i++)
    rows[i] = malloc(3);
  if (what == 0) {
    free(rows[k]);
    rows[k] = rows[m];
    for (unsigned i = 0; i < n; i++)
      free(rows[i]); // FAULT: double-free
  } else if (what == 1) {
    rows[k] = single;
    rows[m] = single;
    for (unsigned i = 0; i < n; i++)
      free(rows[i]); // FAULT: double-free
  } else if (what == 2) {
    rows[k] = single;
    for (unsigned i = 0; i < n; i++) {
      free(rows[i]);
      single[0]++; // FAULT: use-after-free
    }
  } else if (what == 3) {
    for (unsigned i = 0; i + 1 < n; i++) {
      rows[i + 1][0] = 3;
      free(rows[i]);
      rows[0][1] = 2; // FAULT: use-after-free
    }
  }
  return 0;
}

// RUN: --loops compact
// RUN: --loops classic
// EXACT: true
