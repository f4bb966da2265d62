/* A pointer chosen by a condition is written through and read through its other names. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int x = 1, y = 2, which, v;
  klee_make_symbolic(&which, sizeof which, "which");
  klee_make_symbolic(&v, sizeof v, "v");
  int *p = which ? &x : &y;
  *p = v;
  assert(x == (which ? v : 1));
  assert(y == (which ? 2 : v));
  return 0;
}

// PATHS[objects]: <= 2
// EXACT: true
