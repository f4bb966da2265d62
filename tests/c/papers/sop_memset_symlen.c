/* Seed 000 (segment-offset-plane) section 2.3: memset of symbolic length n (0..CAPACITY) on a fixed buffer of CAPACITY bytes.
 * Expect: 0 errors, assertion holds; 1 path with a multi-write (2 if the engine forks on k < n),
 * CAPACITY+1 paths when the memset loop forks per iteration. */
#include <assert.h>
#include <klee/klee.h>
#include <string.h>
#ifndef CAPACITY
#define CAPACITY 64
#endif

int main(void) {
  char A[CAPACITY];
  size_t n, k;
  for (size_t i = 0; i < CAPACITY; i++)
    A[i] = 'x';
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume(n <= CAPACITY);
  klee_assume(k < CAPACITY);
  memset(A, 0, n);
  assert((A[k] == 0) == (k < n));
  return 0;
}

// PATHS[objects]: <= 65
// EXACT: true
// QUERIES[objects]: <= 243
