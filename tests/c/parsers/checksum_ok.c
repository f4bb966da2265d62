/* A message ends with the sum of its bytes. Its length is its first byte. */
#include "text.h"

static unsigned char sum(const unsigned char *s, size_t size) {
  unsigned char total = 0;
  for (size_t i = 0; i < size; i++)
    total += s[i];
  return total;
}

int main(void) {
  size_t size;
  const unsigned char *s = bytes(&size);
  if (size < 2 || s[0] > size - 2)
    return 1;
  size_t length = s[0];
  if (sum(s + 1, length) != s[1 + length])
    return 2;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
