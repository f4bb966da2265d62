/* Seed 002 (symMMU) Fig 1: symbolic write s[w] = 1, then symbolic read s[r], over SIZE zero bytes.
 * Expect: 0 errors; 2 paths (s[r]==1 iff r==w); assertion holds. No concretisation, no fork on the address. */
#include <assert.h>
#include <klee/klee.h>
#ifndef SIZE
#define SIZE 256
#endif

static char s[SIZE];

int main(void) {
  int r = klee_range(0, SIZE, "r");
  int w = klee_range(0, SIZE, "w");
  s[w] = 1;
  if (s[r] == 1) {
    assert(r == w);
    return 1;
  }
  assert(r != w);
  return 0;
}

// RUN:
// RUN: -DSIZE=65536 #large
// PATHS: 2
// VALUES: 0*1 1*1
// EXACT: true
// QUERIES[objects]: <= 7
