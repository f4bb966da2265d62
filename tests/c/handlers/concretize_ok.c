/* One address of several: the others are left out, and the run says so (symMMU, 4.1.4). */
// RUN: --handler concretize
// RUN:
#include <mneme.h>

int main(void) {
  int table[4] = {1, 2, 3, 4};
  unsigned i = mneme_uint("i");
  mneme_assume(i < 4);
  table[i] = 7;
  return table[i] == 7;
}

// PATHS: 1
// VALUES: 1
// EXACT[1]: false
// EXACT[2]: true
