/* One element before the start and one past the end of a global array. */
#include <klee/klee.h>

static short a[3];

int main(void) {
  int i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume((i >= -1) & (i <= 2));
  a[i] = 7; // FAULT: out-of-bounds-write
  int j;
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume((j >= 0) & (j <= 3));
  a[j] = 8; // FAULT: out-of-bounds-write
  return 0;
}

// PATHS: 1
// FAULTED: 2
