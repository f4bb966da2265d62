/* Divisions of floating-point numbers by zero have a result, but are found on demand. */
#include <mneme.h>

int main(void) {
  static const double divisors[] = {2, 0.0, -0.0};
  static const float narrow[] = {0.0f, 1.0f};
  unsigned i = mneme_uint("i");
  mneme_assume(i < 5);
  if (i < 3)
    return 1.0 / divisors[i] == 0.5; // FAULT[float]: float-division-by-zero
  return 1.0f / narrow[i - 3] == 1.0f; // FAULT[float]: float-division-by-zero
}

// RUN: #plain
// RUN: --check float #float
// MODELS: objects
// FAULTED[plain]: 0
// VALUES[plain]: 0 1
// VALUES[float]: 1
