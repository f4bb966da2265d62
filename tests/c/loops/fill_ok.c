/* A hand-written fill of symbolic length is one write of many cells: one path whatever the capacity. */
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>
#ifndef CAPACITY
#define CAPACITY 16
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
  for (size_t i = 0; i < n; i++)
    A[i] = 0;
  assert((A[k] == 0) == (k < n));
  return 0;
}

// Paths are counted: none become one.
// RUN: --merge none
// RUN: -DCAPACITY=1024 --loops compact --merge none #large
// RUN: --loops compact --merge none #compact
// MODELS[large]: planes
// MODELS[compact]: objects planes-naive
// PATHS[planes, compact]: 1
// PATHS[!planes !compact]: 17
