/* The twin: one of the two objects is gone already, and of the other it is not the start. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *a = malloc(4), *b = malloc(4);
  int which, at;
  klee_make_symbolic(&which, sizeof which, "which");
  klee_make_symbolic(&at, sizeof at, "at");
  klee_assume(at >= 0 & at < 4);
  free(a);
  char *p = which ? a : b + at;
  p = realloc(p, 8); // FAULT: double-free, invalid-free
  return 0;
}

// PATHS: 1
// FAULTED: 2
