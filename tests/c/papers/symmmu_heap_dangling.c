/* Seed 002 (symMMU) section 5.6, heap violations: read through a dangling pointer; -DREUSE allocates again in between,
 * so that an allocator that reuses the block makes the stale pointer look valid (9 rounds: one more than a quarantine of 8).
 * Expect (both variants): use after free on line 26 when flag is odd; 1 completed path + 1 error. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef ROUNDS
#define ROUNDS 9
#endif

int main(void) {
  int flag;
  klee_make_symbolic(&flag, sizeof flag, "flag");
  char *p = malloc(8);
  p[0] = 1;
  if (flag & 1) {
    free(p);
#ifdef REUSE
    for (int i = 0; i < ROUNDS; i++) {
      char *q = malloc(8);
      q[0] = 2;
      if (i < ROUNDS - 1)
        free(q);
    }
#endif
  }
  return p[0]; /* BUG */ // FAULT: use-after-free
}

// RUN:
// RUN: -DREUSE
// PATHS: 1
// FAULTED: 1
// QUERIES[1 objects]: <= 2
// QUERIES[2 objects]: <= 2
