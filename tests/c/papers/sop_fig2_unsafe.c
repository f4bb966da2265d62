/* Seed 000 (segment-offset-plane) Fig 2 with nothing known about n (0..CAPACITY) and i (0..CAPACITY).
 * Expect: out-of-bounds writes on lines 14 (n<=3), 15 (n==4) and 16 (3*i+1>=n): three distinct errors;
 * every in-bounds (n,i) continues. An engine that fixes n finds at most one or two of the three. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 8
#endif

static int *A;

static int foo(int n, int i) {
  A = malloc(n * sizeof(int));
  A[3] = 777;         /* W3 */ // FAULT: out-of-bounds-write
  A[4] = 888;         /* W4 */ // FAULT: out-of-bounds-write
  A[3 * i + 1] = 999; /* WI */ // FAULT: out-of-bounds-write
  return A[3] + A[4];
}

int main(void) {
  int n, i;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume((n >= 0) & (n <= CAPACITY));
  klee_assume((i >= 0) & (i <= CAPACITY));
#ifdef EAGER
  for (int v = 0; v < CAPACITY; v++)
    if (n == v) {
      n = v;
      break;
    }
#endif
  return foo(n, i) == 1665;
}

// RUN: #lazy
// RUN: -DEAGER
// PATHS[2 objects]: <= 4
// QUERIES[2 objects]: <= 291
