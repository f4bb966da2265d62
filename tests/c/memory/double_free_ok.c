/* A pointer that is cleared after free can be freed again. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 0) & (n < 3));
  char *p = malloc(8);
  for (int i = 0; i < n; i++) {
    free(p);
    p = NULL;
  }
  free(p);
  return n;
}

// Paths are counted: none become one.
// RUN: --merge none
// PATHS: 3
// VALUES: 0*1 1*1 2*1
// EXACT: true
