/* The intrinsics on a symbolic number agree with their definitions. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned short x;
  klee_make_symbolic(&x, sizeof x, "x");
  unsigned count = 0;
  for (int i = 0; i < 16; i++) count += x >> i & 1;
  assert(__builtin_popcount(x) == count);
  assert(__builtin_bswap16(x) == (unsigned short)(x << 8 | x >> 8));
  assert(__builtin_bitreverse16(__builtin_bitreverse16(x)) == x);
  klee_assume(x != 0);
  assert((x >> __builtin_ctz(x) & 1) == 1);
  assert(x >> (31 - __builtin_clz(x)) == 1);
  return 0;
}

// RUN:
// RUN: --cflags=-O2
// PATHS: 1
// EXACT: true
