/* Seed 003 (separation-logic slides), invalid free: the block is freed through two aliases.
 * Expect: invalid (double) free on line 10 on the single path. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(4);
  char *q = p;
  free(p);
  free(q); /* BUG */ // FAULT: double-free
  return 0;
}

// PATHS: 0
// FAULTED: 1
// QUERIES[objects]: <= 0
