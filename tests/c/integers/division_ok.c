/* Quotient and remainder of C round towards zero and fit together. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  signed char a;
  unsigned char b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  int q = a / 3, r = a % 3;
  assert(q * 3 + r == a);
  assert((r == 0) | ((r < 0) == (a < 0)));
  assert(b / 16 == b >> 4);
  assert(-7 / 2 == -3);
  assert(-7 % 2 == -1);
  return 100 % ((b | 1) & 3) > 2;
}

// PATHS: 1
// VALUES: 0*1
// EXACT: true
