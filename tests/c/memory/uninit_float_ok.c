/* An undefined number that is computed with, and then decides nothing. */
#include <math.h>
#include <string.h>

int main(int argc, char **argv) {
  double unset, set = 2.0;
  double sum = fabs(unset) * set + 1;
  if (argc > 1)
    sum = set;
  double copy;
  memcpy(&copy, argc > 1 ? &sum : &set, sizeof copy);
  return copy == 2.0 ? 0 : 1;
}

// VALUES: 0*1
// EXACT: false
