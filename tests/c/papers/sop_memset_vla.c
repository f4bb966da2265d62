/* Seed 000 (segment-offset-plane) section 2.3: char A[n]; memset(A, 0, n) with symbolic n in 1..CAPACITY, then A[k], k < n.
 * Expect: 0 errors, assertion holds for every n; 1 path with multi-writes (all n at once),
 * CAPACITY paths when forking per size. A concretising engine proves it for one n only. */
#include <assert.h>
#include <klee/klee.h>
#include <string.h>
#ifndef CAPACITY
#define CAPACITY 64
#endif

int main(void) {
  size_t n, k;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume((n >= 1) & (n <= CAPACITY));
  klee_assume(k < n);
#ifdef EAGER
  for (size_t v = 1; v < CAPACITY; v++)
    if (n == v) {
      n = v;
      break;
    }
#endif
  char A[n];
  memset(A, 0, n);
  assert(A[k] == 0);
  return 0;
}

// RUN: #lazy
// RUN: -DEAGER
// PATHS[lazy]: <= 2
// PATHS[2 objects]: <= 64
// EXACT: true
// QUERIES[2 objects]: <= 262
