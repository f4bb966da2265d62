/* Half, quadruple and 128-bit integers are computed exactly. */
#include <assert.h>
#include <string.h>

static volatile _Float16 h = 1.0f16 / 3;
static volatile __float128 q = 1;
static volatile double d = -1e30;
static volatile float f = 1e20f;
static volatile unsigned __int128 wide = (unsigned __int128)1 << 100 | 1;

int main(void) {
  assert((float)h == 0.333251953125f && h + h > h && (_Float16)(float)h == h && (int)(h * 9) == 3);
  unsigned short bits;
  _Float16 copy = h;
  memcpy(&bits, &copy, sizeof bits);
  assert(bits == 0x3555);
  __float128 third = q / 3;
  unsigned long long words[2];
  memcpy(words, &third, sizeof words);
  assert(words[0] == 0x5555555555555555 && words[1] == 0x3ffd555555555555);
  assert(third * 3 == q && (double)third == 1.0 / 3 && (long double)third == 1.0L / 3 && third != (__float128)(1.0 / 3));
  assert((__int128)d == (__int128)-1000000000000000019 * 1000000000000 - 884624838656);
  assert((unsigned __int128)f == (unsigned __int128)100000002004087734272.0);
  assert((double)wide == 0x1p100 && (long double)wide == 0x1p100L && (__float128)wide - 1 == (__float128)0x1p100);
  assert((__int128)(__float128)wide == (__int128)wide);
  return 0;
}

// RUN:
// RUN: --cflags=-O2
// VALUES: 0*1
// EXACT: true
