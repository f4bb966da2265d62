/* Lengths of parts, which must fit together into a room. */
#include "text.h"

int main(void) {
  size_t count;
  const unsigned char *lengths = bytes(&count);
  unsigned used = 0;
  for (size_t i = 0; i < count; i++) {
    used += lengths[i];
    if (used > 100)
      return 3;
  }
  klee_assert(used <= 100);
  if (used == 77)
    return 1;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 3
