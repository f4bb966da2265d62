/* An arm of ?: has signed arithmetic; what is computed with the result is checked all the same. */
#include <mneme.h>

int main(void) {
  int a = mneme_uchar("a");
  int x = mneme_int("x");
  int d = a > 16 ? a - 3 : -1;
  if (x == 7)
    return (2147483647 + d) & 1; // FAULT: signed-overflow
  int e = a > 16 ? a - x : -1; // FAULT: signed-overflow
  return (2147483647 + e) < 0; // FAULT: signed-overflow
}

// RUN: --check overflow
// RUN: --check overflow --m32
// FAULTED: 3
// VALUES: 0
// EXACT: true
