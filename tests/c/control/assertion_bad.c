/* An assertion that one input in 2^32 breaks. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, "x");
  assert(x * 3 != 0xdeadbeef); // FAULT: assertion-failure
  return 0;
}

// PATHS: 1
// FAULTED: 1
