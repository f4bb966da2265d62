/* What was in the block is still there, symbolic bytes too; realloc of NULL allocates. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int v;
  klee_make_symbolic(&v, sizeof v, "v");
  int *p = realloc(NULL, 2 * sizeof *p);
  p[0] = v;
  p[1] = 7;
  p = realloc(p, 100 * sizeof *p);
  p[99] = 1;
  assert(p[0] == v);
  assert(p[1] == 7);
  p = realloc(p, sizeof *p);
  assert(p[0] == v);
  free(p);
  return 0;
}

// PATHS: 1
// EXACT: true
