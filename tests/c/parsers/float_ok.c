/* Is it a floating-point number: sign, digits, point, digits, exponent? */
#include "text.h"

static const char *digits(const char *s) {
  while (*s >= '0' && *s <= '9')
    s++;
  return s;
}

int main(void) {
  const char *s = text();
  if (*s == '-' || *s == '+')
    s++;
  const char *whole = digits(s), *end = whole;
  if (*whole == '.')
    end = digits(whole + 1);
  if (end - s < 1 + (*whole == '.'))
    return 1;
  if (*end == 'e') {
    const char *exponent = digits(end + 1);
    if (exponent == end + 1)
      return 1;
    end = exponent;
  }
  if (*end)
    return 2;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
