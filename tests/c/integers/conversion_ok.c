/* Conversions at the edges of their types, and one that is not done where it would not fit. */
#include <assert.h>
#include <limits.h>
#include <mneme.h>

static int clamped(double x) { return x > -1e9 && x < 1e9 ? (int)x : 0; }

int main(void) {
  double t[4] = {2147483647.9, -2147483648.9, 1e300, 0.0 / 0.0};
  float f = 4294967040.0f;
  int k = mneme_int("k");
  assert((int)t[0] == INT_MAX && (int)t[1] == INT_MIN && (unsigned)f == 4294967040u && (unsigned)-0.9 == 0);
  assert((long long)9.2e18L > 0 && (unsigned long long)18446744073709549568.0 == 18446744073709549568u);
  if (k < 0 || k > 3)
    return 0;
  return clamped(t[k]);
}

// RUN:
// RUN: --m32
// VALUES: 0
// EXACT[!planes-naive]: true
// EXACT[planes-naive]: false
