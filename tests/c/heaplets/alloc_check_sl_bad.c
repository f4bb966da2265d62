/* The allocation check by separation logic. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 3);
  char *p = malloc(3);
  for (int k = 0; k < 3; k++)
    p[k] = (char)(k + 1);
  if (i < 3)
    return p[i] - 1 != (int)i;
  return p[i]; // FAULT: out-of-bounds-read
}

// MODELS: heaplets
// RUN: --alloc-check sl
// VALUES: 0
// FAULTED: 1
