/* Seed 003 (separation-logic slides), memory leak: q leaves its scope. With keep != 0 p still owns the block (no leak);
 * otherwise the only pointer is dropped.
 * Expect: memory leak at the closing brace on line 16 when keep == 0; 1 clean path. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int keep;
  klee_make_symbolic(&keep, sizeof keep, "keep");
  char *p = 0;
  {
    char *q = malloc(1);
    *q = 1;
    if (keep)
      p = q;
  } /* BUG */ // FAULT: memory-leak
  if (p)
    free(p);
  return 0;
}

// RUN: --check leaks
// PATHS: <= 2
// QUERIES[1 objects]: <= 2
