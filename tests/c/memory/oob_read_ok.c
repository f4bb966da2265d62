/* The index is checked first: two paths, and nothing to report. */
#include <klee/klee.h>

int main(void) {
  int a[4] = {1, 2, 3, 4};
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  if (i >= 4)
    return 9;
  return a[i] == 5;
}

// PATHS: 2
// VALUES: 0*1 9*1
// EXACT: true
