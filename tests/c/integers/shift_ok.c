/* Shifts of all kinds at symbolic distances. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned x, n;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 32);
  assert((x >> n << n | (x & ((1u << n) - 1))) == x);
  assert((unsigned)((int)0x80000000 >> n) >> 31 == 1);
  unsigned rotated = x << n | x >> ((32 - n) & 31);
  unsigned back = rotated >> n | rotated << ((32 - n) & 31);
  assert(back == x);
  return 0;
}

// PATHS: 1
// EXACT: true
