/* The leading and trailing zeros of zero have no number. */
#include <mneme.h>

int main(void) {
  unsigned x = mneme_uint("x");
  unsigned long long y = mneme_ulonglong("y");
  if (x < 16)
    return __builtin_clz(x) > 27; // FAULT: invalid-bit-count
  if (y % 2 == 0)
    return __builtin_ctzll(y) > 0; // FAULT: invalid-bit-count
  return 2;
}

// RUN:
// RUN: --m32
// MODELS: objects
// FAULTED: 2
// VALUES: 1 2
// EXACT: true
