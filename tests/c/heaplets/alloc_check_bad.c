/* Every allocation check answers all heaplets that an address may equal under the path, and the fault beside them. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 3);
  char *p = malloc(3), *q = malloc(3);
  for (int k = 0; k < 3; k++)
    p[k] = q[k] = (char)(k + 1);
  char *r = i & 1 ? p : q;
  if (i < 3)
    return r[i] - 1 != (int)i;
  return r[i]; // FAULT: out-of-bounds-read
}

// MODELS: heaplets
// RUN: --alloc-check model
// RUN: --alloc-check smt
// VALUES: 0
// FAULTED: 1
