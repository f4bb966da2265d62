/* Seed 001 (thesis) Fig 1.1: sign of a symbolic 32-bit integer.
 * Expect: 3 completed paths, 0 errors, in every memory model. */
#include <klee/klee.h>

static int get_sign(int x) {
  if (x == 0)
    return 0;
  if (x < 0)
    return -1;
  return 1;
}

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  return get_sign(x);
}

// PATHS: 3
// EXACT: true
// QUERIES[objects]: <= 3
