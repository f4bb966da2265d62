/* Seed 000 (segment-offset-plane) Fig 2: A[3*i+1] = 999 after A[3] = 777, A[4] = 888; n in 5..CAPACITY, index in bounds.
 * Expect: 0 errors (both assertions hold: 3*i+1 is never 3, and is 4 only for i==1); 1 path without forking on the
 * assertion conditions, 2 at most (i==1 / i!=1), for all sizes n together. -DEAGER forks on the size first. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 8
#endif

static int *A;

static int foo(int n, int i) {
  A = malloc(n * sizeof(int));
  A[3] = 777;
  A[4] = 888;
  A[3 * i + 1] = 999;
  assert(A[3] == 777);
  return A[3] + A[4];
}

int main(void) {
  int n, i;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume((n >= 5) & (n <= CAPACITY));
  klee_assume((i >= 0) & (i < CAPACITY));
  klee_assume(3 * i + 1 < n);
#ifdef EAGER
  for (int v = 5; v < CAPACITY; v++)
    if (n == v) {
      n = v;
      break;
    }
#endif
  int r = foo(n, i);
  assert((r == 777 + 999) == (i == 1));
  return 0;
}

// RUN: #lazy
// RUN: -DEAGER
// PATHS[lazy]: <= 2
// PATHS[2 objects]: <= 4
// EXACT: true
// QUERIES[2 objects]: <= 21
