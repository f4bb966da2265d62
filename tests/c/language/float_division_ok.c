/* Divisions by numbers other than zero, however small; integers are checked in any case. */
#include <mneme.h>

int main(void) {
  static const double divisors[] = {5e-324, -1, 1e300};
  unsigned i = mneme_uint("i");
  mneme_assume(i < 3);
  double quotient = 1 / divisors[i];
  return quotient == 0;
}

// RUN: --check float
// MODELS: objects
// VALUES: 0
