/* Seed 001 (thesis) Fig 1.2: pointer array of symbolic length n (1..CAPACITY), symbolic index k.
 * Expect with sizes kept symbolic, CAPACITY=4: out-of-bounds read, line 34, when n==1 (k==1);
 * 11 completed paths + 1 error when forking per object, 8 + 1 when an access to several objects does not fork.
 * -DEAGER forks on every size before the allocation (same counts, for engines with concrete sizes). */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 4
#endif

static size_t pick(size_t n) {
#ifdef EAGER
  for (size_t v = 1; v < CAPACITY; v++)
    if (n == v)
      return v;
  return CAPACITY;
#else
  return n;
#endif
}

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 1) & (n <= CAPACITY));
  n = pick(n);
  char **ptrs = malloc(n * sizeof(char *));
  for (size_t i = 0; i < n; i++)
    ptrs[i] = malloc(10);

  int k;
  klee_make_symbolic(&k, sizeof k, "k");
  if ((0 <= k) & (k < 2)) {
    char *s = ptrs[k]; /* BUG */ // FAULT: out-of-bounds-read
    s[0] = 'a';
  }

  for (size_t i = 0; i < n; i++)
    free(ptrs[i]);
  free(ptrs);
  return 0;
}

// RUN: #lazy
// RUN: -DEAGER #eager
// PATHS[objects]: <= 11
// FAULTED: 1
// QUERIES[2 objects]: <= 94
