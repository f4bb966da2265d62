/* Seed 002 (symMMU) section 5.6, heap violations: double free under a symbolic condition.
 * Expect: double free on line 13 when flag > 10; 1 completed path + 1 error. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int flag;
  klee_make_symbolic(&flag, sizeof flag, "flag");
  char *p = malloc(8);
  p[0] = 1;
  if (flag > 10)
    free(p);
  free(p); /* BUG */ // FAULT: double-free
  return 0;
}

// PATHS: 1
// FAULTED: 1
// QUERIES[objects]: <= 2
