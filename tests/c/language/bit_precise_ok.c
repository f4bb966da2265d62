/* Integers of odd and of great widths. */
#include <assert.h>

static volatile _BitInt(17) odd = 65535;
static volatile unsigned _BitInt(200) great = 1;
static volatile __int128 wide = -5;
struct flags { unsigned long long a : 33, b : 31; _BitInt(7) c; };

static unsigned _BitInt(200) shift(unsigned _BitInt(200) x, int n) { return x << n | 1; }

int main(void) {
  odd = odd + 1 > 0 ? -odd : odd;
  assert(odd == -65535 && odd * (_BitInt(17))1 < 0);
  unsigned _BitInt(200) x = shift(great, 199);
  assert(x >> 199 == 1 && (x & 1) == 1 && x / 3 > great << 197 && x % 2 == 1);
  assert((unsigned)(x * x) == 1);
  assert(wide / 2 == -2 && wide % 2 == -1 && wide >> 1 == -3 && (unsigned __int128)wide >> 127 == 1);
  struct flags f = {0};
  f.a = ~0ULL, f.b = 5, f.c = -64;
  assert(f.a == 0x1ffffffff && f.b == 5 && f.c == -64);
  f.a++;
  assert(f.a == 0 && f.b == 5);
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// VALUES: 0*1
// EXACT: true
