/* Base64: each character is a digit, and four of them are three bytes. */
#include "text.h"

static int digit(int c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static size_t length(const char *s) {
  size_t n = 0;
  while (digit(s[n]) >= 0)
    n++;
  return n;
}

int main(void) {
  const char *s = text();
  unsigned char out[CAPACITY];
  size_t n = length(s), written = 0;
  const char *rest = s + n;
  while (*rest == '=')
    rest++;
  if (*rest || n % 4 == 1)
    return 1;
  unsigned bits = 0;
  for (size_t i = 0; i < n; i++) {
    bits = bits << 6 | (unsigned)digit(s[i]);
    if (i % 4)
      out[written++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
  }
  klee_assert(written == n / 4 * 3 + (n % 4 ? n % 4 - 1 : 0));
  if (written && out[0] == 0xFF)
    return 2;
  return 0;
}

// RUN: -DCAPACITY=5 --merge none #apart
// RUN: -DCAPACITY=5 --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
