/* Complex numbers of all three widths: arithmetic, passing and returning, and the rules for infinities. */
#include <assert.h>
#include <complex.h>
#include <math.h>

static volatile float _Complex f = 3 + 4 * I, g = 1 - 2 * I;
static volatile double _Complex d = 3 + 4 * I, e = 1 - 2 * I;
static volatile long double _Complex l = 3 + 4 * I, m = 1 - 2 * I;

__attribute__((noinline)) static float _Complex quotient(float _Complex a, float _Complex b) { return a / b; }
__attribute__((noinline)) static double _Complex product(double _Complex a, double _Complex b) { return a * b; }
__attribute__((noinline)) static long double _Complex both(long double _Complex a) { return a * m / m; }

int main(void) {
  assert(quotient(f, g) == -1 + 2 * I);
  assert(product(d, e) == 11 - 2 * I && d / e == -1 + 2 * I);
  assert(both(l) == l && l / m == -1 + 2 * I);
  assert(creal(~d) == 3 && cimag(~d) == -4 && d + 1 == 4 + 4 * I && -e == -1 + 2 * I);
  assert(f != g && (double _Complex)f == d);
  volatile double _Complex infinite = __builtin_complex(__builtin_inf(), __builtin_nan("")), zero = 0;
  assert(isinf(creal(infinite * d)) || isinf(cimag(infinite * d)));
  assert(isinf(creal(d / zero)) && creal(d / infinite) == 0);
  return 0;
}

// RUN:
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
