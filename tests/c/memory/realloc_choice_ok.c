/* `realloc` of a pointer that is null or one of two objects, depending on an input. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *a = malloc(4), *b = malloc(4);
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  a[0] = 1;
  b[0] = 2;
  char *p = which == 0 ? 0 : which == 1 ? a : b;
  char *q = realloc(p, 8);
  q[7] = 7;
  if (which == 1)
    klee_assert(q[0] == 1);
  else if (which != 0)
    klee_assert(q[0] == 2);
  free(q);
  if (which != 1)
    free(a);
  if (which == 0 || which == 1)
    free(b);
  return 0;
}

// RUN: --check leaks
// PATHS: 3
