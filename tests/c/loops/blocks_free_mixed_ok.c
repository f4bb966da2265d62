/* A loop frees what several places have made: blocks of another loop, one that was reallocated, one that was replaced, and null. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  char *rows[4], *single = malloc(1);
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), m = mneme_uint("m"), none = mneme_uint("none");
  mneme_assume(n >= 3 && n <= 4 && k < n && m < n && none < n && k != m && k != none && m != none);
  for (unsigned i = 0; i < n; i++)
    rows[i] = malloc(3);
  rows[k] = realloc(rows[k], 5);
  free(rows[m]);
  rows[m] = single;
  free(rows[none]);
  rows[none] = NULL;
  for (unsigned i = 0; i < n; i++)
    free(rows[i]);
  return 0;
}

// RUN: --loops compact
// RUN: --loops classic
// EXACT: true
