/* Assembly that only hinders the compiler does nothing. */
#include <assert.h>

int main(void) {
  int x = 5, y[2] = {1, 2};
  double d = 1.5;
  __asm__ volatile("" ::: "memory");
  __asm__ volatile("nop");
  __asm__("" : "+r"(x));
  __asm__("" : "+m"(y));
  __asm__("# nothing" : "+x"(d) : "r"(x));
  __asm__ volatile("" : : "g"(&y) : "memory");
  int *p, *q = &x;
  __asm__("" : "=g"(p) : "0"(&x));
  __asm__ volatile("" : "+g"(q) : : "memory");
  assert(p == &x && q == &x);
  assert(x == 5 && y[1] == 2 && d == 1.5);
  return 0;
}

// RUN:
// RUN: --cflags=-O2
// VALUES: 0*1
// EXACT: true
