/* Seed 003 (separation-logic slides), invalid write: NULL on one side, one cell before the segment on the other.
 * Expect: two errors on line 16: NULL write (c == 0) and out-of-bounds write (c == 1); 1 completed path. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned c;
  klee_make_symbolic(&c, sizeof c, "c");
  klee_assume(c < 3);
  char *p = malloc(4);
  char *t = p;
  if (c == 0)
    t = 0;
  else if (c == 1)
    t = p - 1;
  *t = 7; /* BUG */ // FAULT: null-dereference, out-of-bounds-write
  free(p);
  return 0;
}

// PATHS: 1
// FAULTED: 2
// QUERIES[objects]: <= 5
