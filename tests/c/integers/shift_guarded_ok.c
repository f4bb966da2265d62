/* Shifts and sums that happen only where they have a result. Compilers compute them before they know, and choose afterwards. */
#include <assert.h>
#include <klee/klee.h>
#include <limits.h>

int twice_or_most(int x) { return x < INT_MAX / 2 && x > 0 ? x + x : INT_MAX; }

int main(void) {
  unsigned n, x;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(n <= 40);
  unsigned shifted = n < 32 ? x << n : 7;
  assert(n < 32 || shifted == 7);
  int bit = 0;
  if (n < 32)
    bit = x >> n & 1;
  assert(bit == 0 || bit == 1);
  if (n < 32 && (1u << n) > 4)
    assert(n > 2);
  assert(twice_or_most((int)x) > 0);
  return 0;
}

// RUN: --check overflow
// RUN: --check overflow --cflags=-O0
// RUN: --check overflow --cflags=-O1
// RUN: --check overflow --cflags=-O2
// VALUES: 0
// EXACT: true
