/* Seed 001 (thesis) Fig 4.3: pointer order and an out-of-bounds offset that may land in another object.
 * Expect: out-of-bounds read on line 15 for every d >= 10, 1 in-bounds path; never a "successful"
 * read of the bytes of q (or of any other object) through p. assert on line 16 must hold. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *p = calloc(10, 1);
  char *q = calloc(50, 1);
  for (int i = 0; i < 50; i++)
    q[i] = 'q';
  unsigned long d;
  klee_make_symbolic(&d, sizeof d, "d");
  char c = p[d]; /* BUG */ // FAULT: out-of-bounds-read
  assert(c == 0); /* ALIAS */
  return 0;
}

// PATHS: 1
// FAULTED: 1
// EXACT: true
// QUERIES[objects]: <= 128
