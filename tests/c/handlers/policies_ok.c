/* The policies of symMMU, 4.1, on one read and one write: complete ones prove both assertions on all paths, incomplete ones
 * on the paths that they keep. */
// RUN: --handler constant
// RUN: --handler fork-address #all
// RUN: --handler fork-address:capped #capped
// RUN: --handler fork-address:min-max #extremes
// RUN: --handler ite
// RUN: --handler ite:4 #bounded
// RUN: --handler prioritize #one
// RUN: --handler range-check,constant,ite:20,fork-objects
// RUN: --merge none #builtin
// MODELS: objects planes
#include <mneme.h>

int main(void) {
  short table[20];
  for (int k = 0; k < 20; k++)
    table[k] = 3 * k;
  unsigned i = mneme_uint("i"), one = mneme_uint("one");
  mneme_assume(i < 18 && one == 4);
  mneme_assert(table[i] == 3 * (int)i);
  table[i + 1] = 7;
  mneme_assert(table[one] == (i == 3 ? 7 : 12));
  return 0;
}

// EXACT[1, 2, 8, builtin]: true
// EXACT[capped, extremes, bounded, one]: false
// EXACT[5]: false
// PATHS[all]: 18
// PATHS[capped]: == 16
// PATHS[extremes]: == 2
// PATHS[one]: == 1
