/* Seed 001 (thesis) Fig 1.8: CALLS chained strchr(.., 'a') over a symbolic string of symbolic size n+1 <= CAPACITY.
 * Expect: 0 errors. CAPACITY=4, CALLS=2: 13 paths with a lazily forking symbolic size, 24 when forking on the
 * size first (-DEAGER, 1376 for CAPACITY=16); merging with quantifiers keeps O(CALLS) states.
 * A concretising engine without -DEAGER sees one length only. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 4
#endif
#ifndef CALLS
#define CALLS 2
#endif

static size_t pick(size_t n) {
#ifdef EAGER
  for (size_t v = 0; v < CAPACITY - 1; v++)
    if (n == v)
      return v;
  return CAPACITY - 1;
#else
  return n;
#endif
}

static char *find(char *s, int c) {
  int i = 0;
  while (s[i] != '\0') {
    if (s[i] == c)
      return s + i;
    i++;
  }
  return NULL;
}

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= CAPACITY - 1);
  n = pick(n);
  char *s = malloc(n + 1);
  klee_make_symbolic(s, n + 1, "s");
  s[n] = 0;

  char *p = s;
  int found = 0;
  for (int j = 0; j < CALLS; j++) {
    p = find(p, 'a');
    if (p == NULL)
      break;
    p++;
    found++;
  }
  return found;
}

// RUN: #lazy
// RUN: -DEAGER --loops classic
// RUN: -DEAGER -DCAPACITY=16 --loops classic
// RUN: -DEAGER -DCAPACITY=16 -DCALLS=4 --loops classic
// PATHS[lazy]: <= 13
// PATHS[2 objects]: <= 24
// PATHS[3 objects]: <= 1376
// PATHS[4 objects]: <= 13752
// EXACT: true
// QUERIES[2 objects]: <= 26
// QUERIES[3 objects]: <= 392
// QUERIES[4 objects]: <= 392
