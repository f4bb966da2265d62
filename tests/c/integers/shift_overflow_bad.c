/* Results that do not fit their signed types: of abs, of shifts to the left, of negation. */
#include <limits.h>
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int x = mneme_int("x");
  long long y = mneme_longlong("y");
  if (x == INT_MIN)
    return abs(x) & 1; // FAULT: signed-overflow
  if (y < LLONG_MIN + 2)
    return (llabs(y) & 1) == 0; // FAULT: signed-overflow
  if (x >= 0 && x < 64)
    return (x << 26) & 1; // FAULT: signed-overflow
  if (x == -1)
    return x << 1; // FAULT: signed-overflow
  return abs(x) < 0 || llabs(y) < 0;
}

// RUN: --check overflow
// RUN: --check overflow --m32
// FAULTED: 4
// VALUES: 0
// EXACT: true
