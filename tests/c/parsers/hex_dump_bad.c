/* Bytes as hexadecimal digits, in a buffer that has no room for the terminator if it is full. */
#include "text.h"

static size_t dump(const unsigned char *bytes, size_t size, char *out, size_t room) {
  static const char digits[] = "0123456789abcdef";
  size_t n = 0;
  for (size_t i = 0; i < size && n + 2 <= room; i++) {
    out[n++] = digits[bytes[i] >> 4];
    out[n++] = digits[bytes[i] & 15];
  }
  out[n] = 0; // FAULT: out-of-bounds-write
  return n;
}

int main(void) {
  size_t size;
  const unsigned char *s = bytes(&size);
  char out[8];
  size_t n = dump(s, size, out, sizeof out);
  klee_assert(n == 2 * size);
  if (n)
    return 1;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1
