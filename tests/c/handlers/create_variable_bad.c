/* A variable for what is read, the same for the same pointer (symMMU, 4.1.3): it can be 9, which is nowhere in the table, so
 * that the second assertion is flagged although it holds. */
// RUN: --handler create-variable
// RUN:
// MODELS: objects
#include <mneme.h>

int main(void) {
  unsigned char table[4] = {1, 2, 3, 4};
  unsigned i = mneme_uint("i");
  mneme_assume(i < 4);
  unsigned char got = table[i];
  mneme_assert(got == table[i]);
  mneme_assert(got != 9); // FAULT[1]: assertion-failure
  return 0;
}

// EXACT[1]: false
// EXACT[2]: true
