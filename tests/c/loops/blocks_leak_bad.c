/* Of the blocks that a loop made those are lost that no loop frees. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  char *rows[4];
  unsigned n = mneme_uint("n"), m = mneme_uint("m");
  mneme_assume(n <= 4 && m < n);
  for (unsigned i = 0; i < n; i++)
    rows[i] = malloc(3);
  for (unsigned i = 0; i < m; i++)
    free(rows[i]);
  return 0;
} // FAULT: memory-leak

// RUN: --check leaks --loops compact
// RUN: --check leaks --loops classic
// EXACT: true
