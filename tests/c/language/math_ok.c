/* Floating point as the machine computes it: rounding, signed zeros, NaN payloads, classes, the functions of math.h. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static volatile double tenth = 0.1, zero = 0, two = 2, big = 1e308;
static volatile float single = 16777216.0f;
static volatile int ten = 10;

static uint64_t bits(double x) {
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

int main(void) {
  assert(tenth + 2 * tenth != 0.3 && bits(tenth * 3) == 0x3fd3333333333334);
  assert(single + 1 == single && single + 2 != single && (float)tenth != tenth);
  assert(1 / -zero == -INFINITY && big * 10 == INFINITY && isnan(zero / zero) && -zero == zero && signbit(-zero));
  uint64_t payload = 0x7ff8000000001234;
  double nan;
  memcpy(&nan, &payload, sizeof nan);
  assert(bits(nan + 1) == payload && bits(-nan) >> 63 && fpclassify(5e-324 * (two - 1)) == FP_SUBNORMAL);
  assert(isinf(big * 10) && isfinite(big) && !isnormal(zero) && fpclassify(zero) == FP_ZERO);
  assert(floor(-1.5) == -2 && ceil(1.2) == 2 && trunc(-1.7) == -1 && round(-2.5) == -3 && rint(2.5) == 2 && lround(2.5) == 3);
  assert(sqrt(two) == 1.4142135623730951 && pow(two, ten) == 1024 && fabs(-tenth) == tenth && fmod(7, two) == 1);
  assert(fmin(two, NAN) == 2 && fmax(1, two) == 2 && copysign(3, -zero) == -3 && fma(two, two, 1) == 5);
  assert(sin(zero) == 0 && cos(zero) == 1 && exp(zero) == 1 && log(1) == 0 && log2(8) == 3 && log10(1000) == 3);
  assert(ldexp(tenth, 4) == 1.6 && __builtin_powi(two, -3) == 0.125);
  int exponent;
  assert(frexp(12, &exponent) == 0.75 && exponent == 4);
  assert((int)-2.9 == -2 && (unsigned)3e9 == 3000000000u && (long long)-1e18 == -1000000000000000000 && (signed char)tenth == 0);
  assert((unsigned long long)1.8e19 == 18000000000000000000u && (float)4294967295u == 4294967296.0f);
  assert(isless(1, two) && isunordered(NAN, two) && islessgreater(1, two) && !isgreater(NAN, 1));
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// RUN: --cflags=-ffp-model=strict
// VALUES: 0*1
// EXACT: true
