/* An assertion that nothing breaks: no odd number is twice another. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_assume(x & 1);
  assert(x != 2 * y);
  return 0;
}

// PATHS: 1
// EXACT: true
