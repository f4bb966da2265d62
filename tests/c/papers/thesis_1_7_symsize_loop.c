/* Seed 001 (thesis) Fig 1.7: loop over a buffer of symbolic size n (0..CAPACITY).
 * Expect with symbolic size, CAPACITY=3: 5 paths (2 with loop merging), 0 errors; a size concretised
 * to 0 or 1 never reaches the store. -DWITNESS: assertion failure on line 37 exactly when n==CAPACITY.
 * -DEAGER forks on the size first: 7 paths (n==0, then z==0 and z!=0 for each n in 1..3). */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 3
#endif

static size_t pick(size_t n) {
#ifdef EAGER
  for (size_t v = 0; v < CAPACITY; v++)
    if (n == v)
      return v;
  return CAPACITY;
#else
  return n;
#endif
}

int main(void) {
  size_t n;
  int z;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&z, sizeof z, "z");
  klee_assume(n <= CAPACITY);
  n = pick(n);
  char *p = malloc(n);
  for (size_t i = 0; i < n; i++) {
    if (z == 0)
      break;
    if (i > 0) {
      p[i] = (char)i;
#ifdef WITNESS
      assert(i != CAPACITY - 1); /* REACH */ // FAULT[witness]: assertion-failure
#endif
    }
  }
  return 0;
}

// RUN: #lazy
// RUN: -DWITNESS #lazy #witness
// RUN: -DWITNESS -DEAGER --loops classic #witness
// RUN: -DEAGER --loops classic
// PATHS[lazy !witness]: <= 5
// PATHS[3]: 6
// PATHS[4]: 7
// FAULTED[3]: 1
// QUERIES[3 objects]: <= 9
