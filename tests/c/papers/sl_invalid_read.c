/* Seed 003 (separation-logic slides), invalid read: one cell past the segment.
 * Expect: out-of-bounds read on line 11 when i == 4; 1 completed path + 1 error. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 4);
  char *p = calloc(4, 1);
  int v = p[i]; /* BUG */ // FAULT: out-of-bounds-read
  free(p);
  return v;
}

// PATHS: 1
// FAULTED: 1
// QUERIES[objects]: <= 6
