/* `long double` is the x87's format: 64 bits of precision, exact conversions from and to every integer. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile long double one = 1, three = 3, big = 18446744073709551615.0L;
static volatile double tenth = 0.1;
static volatile long long least = -9223372036854775807LL - 1;
static volatile unsigned long long most = 18446744073709551615ULL;

static long double half(long double x) { return x / 2; }

int main(void) {
  long double third = one / three;
  unsigned long long fraction;
  memcpy(&fraction, &third, sizeof fraction);
  assert(fraction == 0xaaaaaaaaaaaaaaab);
  assert((double)third == 1.0 / 3.0 && third != (long double)(1.0 / 3.0));
  assert(third * three == one && one - third > third);
  assert((long double)most == big && (unsigned long long)big == most);
  assert((long long)(long double)least == least && (int)-2.75L == -2);
  assert((long double)tenth != 0.1L && (float)(long double)tenth == (float)tenth);
  assert(fmodl(7.5L, three - 1) == 1.5L && fabsl(-third) == third && sqrtl(three * three) == three);
  assert(half(one) == 0.5L && -one < one && !(one < one) && one <= one && (_Bool)third);
  volatile long double nan = __builtin_nanl(""), infinite = one / 0;
  assert(nan != nan && !(nan < one) && infinite > big && isinf(infinite) && isnan(nan) && signbit(-nan));
  assert(floorl(-1.5L) == -2 && ceill(1.25L) == 2 && truncl(-1.5L) == -1 && roundl(2.5L) == 3 && rintl(2.5L) == 2);
  char text[64];
  snprintf(text, sizeof text, "%.20Lg %.3Lf %Le", third, big, -0.1L);
  assert(!strcmp(text, "0.33333333333333333334 18446744073709551615.000 -1.000000e-01"));
  assert(strtold("0.1", NULL) == 0.1L);
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
