/* What a division, a shift, an allocation and a comparison of floating-point numbers do depends on an unwritten operand. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int divisor, distance;
  size_t size;
  double a[2], sum = 0;
  a[0] = 1;
  switch (mneme_int("which")) {
  case 0:
    return 7 / divisor; // FAULT: uninitialized-read
  case 1:
    return 1 << distance; // FAULT: uninitialized-read
  case 2:
    free(malloc(size)); // FAULT: uninitialized-read
    return 0;
  case 3:
    for (int i = 0; i < 2; i++)
      sum += a[i];
    if (sum > 2.5) // FAULT: uninitialized-read
      return 1;
    return 2;
  default:
    return 0;
  }
}

// PATHS: 1
// FAULTED: 4
