/* Recursion of symbolic depth, and two functions that call each other. */
#include <klee/klee.h>

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 6);
  return even(n);
}

// PATHS: 6
// VALUES: 0*3 1*3
// EXACT: true
