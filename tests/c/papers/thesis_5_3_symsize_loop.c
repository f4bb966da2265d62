/* Seed 001 (thesis) Fig 5.3: size-dependent loop, malloc(n) with n in 0..CAPACITY.
 * Expect with symbolic size, CAPACITY=3: 5 paths when forking lazily, 2 when the loop exits are merged; 0 errors.
 * -DOFFBYONE turns the bound into i <= n: out-of-bounds write, line 36, for every n. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 3
#endif
#ifdef OFFBYONE
#define LIMIT(n) ((n) + 1)
#else
#define LIMIT(n) (n)
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
  size_t n, z;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&z, sizeof z, "z");
  klee_assume(n <= CAPACITY);
  n = pick(n);
  char *p = malloc(n);
  for (size_t i = 0; i < LIMIT(n); i++) {
    if (z == 0)
      break;
    p[i] = (char)i; /* BUG */ // FAULT[bad]: out-of-bounds-write
  }
  return 0;
}

// RUN: #lazy
// RUN: -DEAGER --loops classic
// RUN: -DOFFBYONE #lazy #bad
// RUN: -DEAGER -DOFFBYONE --loops classic #bad
// RUN: --merge loops #merged
// RUN: --merge tree #merged
// RUN: -DOFFBYONE --merge tree #bad
// PATHS[1]: <= 5
// PATHS[merged]: 2
// PATHS[2]: 7
// PATHS[4]: 4
// FAULTED[4]: 4
// QUERIES[2 objects]: <= 9
