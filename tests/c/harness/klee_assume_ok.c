/* Assumptions narrow what follows; objects of the same name are different inputs. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "n");
  klee_make_symbolic(&y, sizeof y, "n");
  klee_assume(x > 10);
  klee_assume(x < 12);
  assert(x == 11);
  if (y == 12)
    return 1;
  return 0;
}

// PATHS: 2
// VALUES: 0*1 1*1
// EXACT: true
