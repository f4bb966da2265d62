/* Functions that are called by another type than their own: the arguments are not where they are looked for. */
#include <mneme.h>

static int two(int a, int b) { return a + b; }
static int number(double x) { return (int)x; }
static void nothing(void) {}

int main(void) {
  int (*by_one)(int) = (int (*)(int))two;
  int (*by_long)(long) = (int (*)(long))number;
  int (*by_none)(void) = (int (*)(void))nothing;
  switch (mneme_between(0, 2, "which")) {
  case 0:
    return by_one(1); // FAULT: invalid-call
  case 1:
    return by_long(1); // FAULT: invalid-call
  default:
    return by_none(); // FAULT: invalid-call
  }
}

// PATHS: 0
// FAULTED: 3
