/* A loop with several ways out: the guard, a break, an assertion in the body that fails. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned n, stop;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&stop, sizeof stop, "stop");
  klee_assume(n <= 9);
  klee_assume(stop <= 9);
  unsigned i;
  for (i = 0; i < n; i++) {
    if (i == stop)
      break;
    assert(i != 6); // FAULT: assertion-failure
  }
  assert(i <= n && i <= stop);
  return i == 6;
}

// Paths are counted: none become one.
// RUN: --merge none
// EXACT: true
// VALUES[!planes]: 0 1
