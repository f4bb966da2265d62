/* Widening keeps the value by sign, narrowing keeps the low bits, comparisons follow the promoted type. */
#include <assert.h>
#include <klee/klee.h>
#include <stdbool.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  signed char s = (signed char)x;
  unsigned char u = (unsigned char)x;
  assert(((int)s & 0xff) == (int)u);
  assert((long)x == (long)(short)x || x > 32767 || x < -32768);
  assert((unsigned long)(long)x >> 32 == (x < 0 ? 0xffffffffu : 0));
  bool b = x & 6;
  assert((b == 0) | (b == 1));
  assert(-1 > 0u);
  return 0;
}

// PATHS: >= 1
// EXACT: true
