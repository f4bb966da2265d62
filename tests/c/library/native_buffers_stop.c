/* A native function that writes through a pointer changes what it writes and nothing beside it. */
#include <klee/klee.h>
#include <math.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  int parts[2] = {0, 7};
  double m = remquo(12.0, 5.0, &parts[0]);
  if (m != 2.0 || parts[0] != 2 || parts[1] != 7)
    return 1;
  struct {
    int quotient;
    unsigned char beside;
  } s = {0, x};
  m = remquo(x ? 12.0 : 6.0, 5.0, &s.quotient); // a symbolic byte lies beside it: not done natively
  return s.beside == x ? 0 : 2;
}

// STOPS: memory that is not concrete
// PATHS: 0
