/* One element past the end of a local array. */
#include <klee/klee.h>

int main(void) {
  int a[4] = {1, 2, 3, 4};
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i <= 4);
  int v = a[i]; // FAULT: out-of-bounds-read
  return v > 4;
}

// PATHS: 1
// FAULTED: 1
// VALUES: 0*1
