/* A block that lives for one iteration. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  unsigned n = mneme_uint("n");
  int sum = 0, *last = NULL;
  mneme_assume(n <= 6);
  for (unsigned i = 0; i < n; i++) {
    int *p = malloc(sizeof *p);
    *p = 3;
    sum += *p;
    free(p);
    last = p;
  }
  assert(sum == 3 * (int)n);
  assert((last == NULL) == (n == 0));
  return 0;
}

// RUN: --loops compact
// RUN: --loops classic #classic
// PATHS[planes !classic]: <= 2
// EXACT: true
