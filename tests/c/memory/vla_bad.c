/* The last element of a variable-length array is one too far. */
#include <klee/klee.h>

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  volatile unsigned n = 3;
  char a[n];
  for (unsigned k = 0; k < n; k++)
    a[k] = 0;
  klee_assume(i <= 3);
  a[i] = 1; // FAULT: out-of-bounds-write
  return 0;
}

// PATHS: 1
// FAULTED: 1
