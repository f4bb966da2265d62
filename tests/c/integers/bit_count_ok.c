/* Zeros are counted only of numbers that have a bit, also where a compiler would count before it asks. */
#include <mneme.h>

static int log2_of(unsigned x) {
  return x ? 31 - __builtin_clz(x) : -1;
}

int main(void) {
  unsigned x = mneme_uint("x");
  int found = log2_of(x);
  if (__builtin_ffs((int)x) > 32)
    return 3;
  if (x == 0)
    return found != -1;
  return x >> found != 1;
}

// RUN:
// RUN: -O2
// MODELS: objects
// VALUES: 0
// EXACT: true
