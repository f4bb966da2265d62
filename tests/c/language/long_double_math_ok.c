/* Functions of math.h on long double and on 128 bits: the machine's own library computes them. */
#include <assert.h>
#include <math.h>

__attribute__((noinline)) static long double id(long double x) { return x; }

__float128 sqrtf128(__float128), sinf128(__float128);

int main(void) {
  assert(powl(id(2), id(100)) == 0x1p100L && cbrtl(id(27)) == 3 && hypotl(id(3), id(4)) == 5);
  assert(fabsl(sinl(id(1)) * sinl(1) + cosl(id(1)) * cosl(1) - 1) < 0x1p-62L);
  assert(sinl(id(1)) != sin(1) && (double)sinl(id(1)) == sin(1));
  assert(logl(expl(id(0.5L))) - 0.5L < 0x1p-62L && log2l(id(8)) == 3 && exp2l(id(-3)) == 0.125L);
  int exponent, quotient = 0;
  long double whole;
  assert(frexpl(id(12), &exponent) == 0.75L && exponent == 4);
  assert(modfl(id(2.5L), &whole) == 0.5L && whole == 2);
  assert(ldexpl(id(1), 3) == 8 && ilogbl(id(9)) == 3 && lroundl(id(2.5L)) == 3);
  assert(remquol(id(7), id(4), &quotient) == -1 && (quotient & 7) == 2);
  assert(fmal(id(3), id(4), id(5)) == 17 && atan2l(id(0), id(-1)) == acosl(-1));
  assert(isnan(sqrtl(id(-1))) && isinf(logl(id(0))) && tgammal(id(5)) == 24);
  volatile __float128 nine = 9, two = 2;
  assert(sqrtf128(nine) == 3 && sqrtf128(two) * sqrtf128(two) - two < 0x1p-110);
  assert(sinf128(two) != (__float128)sin(2) && (double)sinf128(two) == sin(2));
  return 0;
}

// VALUES: 0*1
// EXACT: true
