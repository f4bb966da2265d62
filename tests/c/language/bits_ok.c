/* What the compiler has intrinsics for: counting, reversing, rotating, saturating, overflow, least and greatest. */
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

static volatile uint32_t w = 0x00f01234;
static volatile uint64_t q = 0x0000800000000010;
static volatile int low = INT_MIN, high = INT_MAX;
static volatile unsigned by = 12;

int main(void) {
  assert(__builtin_popcount(w) == 9 && __builtin_popcountll(q) == 2 && __builtin_parity(w));
  assert(__builtin_clz(w) == 8 && __builtin_ctz(w) == 2 && __builtin_clzll(q) == 16 && __builtin_ctzll(q) == 4);
  assert(__builtin_ffs(w) == 3 && __builtin_ffs(0) == 0);
  assert(__builtin_bswap16(w) == 0x3412 && __builtin_bswap32(w) == 0x3412f000 && __builtin_bswap64(q) == 0x1000000000800000);
  assert(__builtin_bitreverse32(w) == 0x2c480f00 && __builtin_bitreverse8((uint8_t)w) == 0x2c);
  assert((w << by | w >> (32 - by)) == 0x0123400f && __builtin_rotateright32(w, by) == 0x23400f01);
  int result;
  assert(__builtin_add_overflow(high, 1, &result) && result == INT_MIN);
  assert(!__builtin_sub_overflow(high, 1, &result) && result == INT_MAX - 1);
  assert(__builtin_mul_overflow(low, -1, &result));
  uint8_t narrow;
  assert(__builtin_add_overflow(w, 0, &narrow) && narrow == 0x34);
  unsigned long long product;
  assert(__builtin_mul_overflow(q, q, &product) && !__builtin_mul_overflow(q, 2, &product));
  assert(__builtin_elementwise_add_sat(high, 5) == INT_MAX && __builtin_elementwise_sub_sat(low, 5) == INT_MIN);
  assert(__builtin_elementwise_add_sat(w, 0xfffffff0u) == UINT_MAX && __builtin_elementwise_sub_sat(w, 0xf0000000u) == 0);
  assert(__builtin_elementwise_max(low, high) == high && __builtin_elementwise_min(w, 7u) == 7);
  assert(abs(low + 1) == high && llabs(-5) == 5);
  char array[10];
  assert(__builtin_object_size(array + 4, 0) == 6 && __builtin_constant_p(3) && __builtin_expect(w != 0, 1));
  __builtin_assume(w != 0);
  __builtin_prefetch(array);
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
