/* Chunks one after another, each with its length before it. The last one must end where the bytes do. */
#include "text.h"

int main(void) {
  size_t size;
  const unsigned char *s = bytes(&size);
  size_t at = 0;
  while (at < size)
    at += 1 + s[at];
  if (at > size)
    return 2;
  klee_assert(at == size);
  if (size && s[0] == 1)
    return 1;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
