/* Seed 003 (separation-logic slides), invalid free: interior pointer (k > 0) or stack address (k == 4).
 * Expect: invalid free on line 13: interior pointer for k in 1..3 and stack variable for k == 4; 1 completed path (k == 0). */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned k;
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume(k <= 4);
  char local = 0;
  char *p = malloc(4);
  char *t = k == 4 ? &local : p + k;
  free(t); /* BUG */ // FAULT: invalid-free
  return 0;
}

// PATHS: 1
// QUERIES[objects]: <= 12
