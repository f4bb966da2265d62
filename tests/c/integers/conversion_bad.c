/* A floating-point number that an integer type cannot hold, without its fraction. */
#include <mneme.h>

int main(void) {
  double t[4] = {1.0, 1e20, -5.0, 0.0 / 0.0};
  int k = mneme_int("k");
  if (k < 0 || k > 3)
    return 9;
  int i = (int)t[k]; // FAULT: invalid-conversion
  if (i == 1)
    return 1;
  unsigned u = (unsigned)t[k]; // FAULT: invalid-conversion
  return u == 0;
}

// RUN:
// RUN: --m32
// PATHS: 2
// FAULTED: 3
// VALUES: 1*1 9*1
// EXACT: true
