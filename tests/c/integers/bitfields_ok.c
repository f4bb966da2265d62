/* Bit-fields of odd widths share bytes and do not disturb each other. */
#include <assert.h>
#include <klee/klee.h>

struct flags {
  unsigned a : 3;
  int b : 5;
  unsigned c : 1, : 2, d : 13;
};

int main(void) {
  struct flags f = {0};
  unsigned v;
  klee_make_symbolic(&v, sizeof v, "v");
  f.d = 0x1fff;
  f.a = v;
  f.b = -3;
  f.c = 1;
  assert(f.a == (v & 7));
  assert(f.b == -3);
  assert(f.d == 0x1fff);
  f.d++;
  assert(f.d == 0);
  assert(f.c == 1);
  return f.a > 7;
}

// PATHS: 1
// VALUES: 0*1
// EXACT: true
