/* The middle of two indices, without overflow; unsigned arithmetic wraps around. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int low, high;
  klee_make_symbolic(&low, sizeof low, "low");
  klee_make_symbolic(&high, sizeof high, "high");
  klee_assume((0 <= low) & (low <= high));
  int middle = low + (high - low) / 2;
  assert((low <= middle) & (middle <= high));
  unsigned u = (unsigned)low;
  assert(u - (u + 1) == 0xffffffff);
  return 0;
}

// PATHS: 1
// EXACT: true
