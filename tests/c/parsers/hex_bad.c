/* Hexadecimal digits, of which eight are too many for the place where they are kept. */
#include "text.h"

static int is_digit(int c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

int main(void) {
  char digits[4];
  const char *s = text();
  if (s[0] != '0' || s[1] != 'x')
    return 1;
  s += 2;
  int n = 0;
  while (is_digit(s[n]))
    n++;
  if (s[n])
    return 1;
  for (int i = 0; i <= n; i++)
    digits[i] = s[i]; // FAULT: out-of-bounds-write
  if (digits[0] == 0)
    return 2;
  return 0;
}

// RUN: -DCAPACITY=8 --merge none #apart
// RUN: -DCAPACITY=8 --merge patterns #patterns
// RUN: -DCAPACITY=8 --merge patterns --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
