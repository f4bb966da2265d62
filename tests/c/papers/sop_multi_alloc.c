/* Seed 000 (segment-offset-plane) section 2.3: a symbolic number n (1..CAPACITY) of blocks is allocated, block k < n is written,
 * block m < n is read back.
 * Expect: 0 errors, assertion holds; one or two paths with multi-allocation + multi-write,
 * the sum of n*n over all n (30 for CAPACITY=4) when forking per size and per object. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 4
#endif

int main(void) {
  size_t n, k, m;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_make_symbolic(&m, sizeof m, "m");
  klee_assume((n >= 1) & (n <= CAPACITY));
  klee_assume((k < n) & (m < n));
  int *block[CAPACITY];
  for (size_t i = 0; i < n; i++)
    block[i] = calloc(2, sizeof(int));
  block[k][1] = 42;
  assert((block[m][1] == 42) == (k == m));
  return 0;
}

// RUN:
// RUN: -DCAPACITY=8
// PATHS[1 objects]: <= 30
// PATHS[2 objects]: <= 204
// EXACT: true
// QUERIES[1 objects]: <= 178
