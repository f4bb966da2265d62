/* Prioritized concretization takes an address with a symbolic value, if there is one (symMMU, 4.1.6). */
// RUN: --handler prioritize
// MODELS: objects
#include <mneme.h>

int main(void) {
  unsigned char table[8] = {0};
  table[5] = mneme_uchar("hidden");
  unsigned i = mneme_uint("i");
  mneme_assume(i < 8);
  unsigned char got = table[i];
  mneme_assert(i == 5);
  if (got == 77)
    return 1;
  return 0;
}

// VALUES: 0 1
// EXACT: false
