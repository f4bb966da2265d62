/* Numbers of variable length: seven bits in each byte, and whether another follows. */
#include "text.h"

static size_t read_number(const unsigned char *s, size_t size, unsigned *number) {
  unsigned value = 0;
  for (size_t n = 0; n < size && n < 4; n++) {
    value |= (unsigned)(s[n] & 127) << 7 * n;
    if (s[n] < 128) {
      *number = value;
      return n + 1;
    }
  }
  return 0;
}

int main(void) {
  size_t size;
  const unsigned char *s = bytes(&size);
  unsigned first, second;
  size_t n = read_number(s, size, &first);
  if (!n)
    return 1;
  size_t m = read_number(s + n, size - n, &second);
  if (!m)
    return 2;
  klee_assert(n + m <= size && first < 1u << 28);
  if (first == second)
    return 3;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart]: 0 1 2 3
