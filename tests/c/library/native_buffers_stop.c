/* A native function that writes through a pointer changes what it writes and nothing beside it. */
#include <klee/klee.h>
#include <math.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int parts[2] = {0, 7};
  double m = frexp(12.0, &parts[0]);
  if (m != 0.75 || parts[0] != 4 || parts[1] != 7)
    return 1;
  struct {
    int exponent;
    unsigned char beside;
  } s = {0, x};
  m = frexp(x ? 12.0 : 6.0, &s.exponent); // a symbolic byte lies beside it: not done natively
  return s.beside == x ? 0 : 2;
}

// STOPS: memory that is not concrete
// PATHS: 0
