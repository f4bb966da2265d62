/* A shift by the width of the type. */
#include <klee/klee.h>

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 32);
  unsigned mask = 1u << n; // FAULT: invalid-shift
  return mask == 0;
}

// PATHS: 1
// FAULTED: 1
