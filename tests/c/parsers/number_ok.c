/* A decimal number that must fit into 16 bits. */
#include "text.h"

static int parse(const char *s, unsigned *number, const char **end) {
  unsigned value = 0;
  const char *p = s;
  for (; *p >= '0' && *p <= '9'; p++) {
    value = value * 10 + (unsigned)(*p - '0');
    if (value > 65535)
      return 0;
  }
  *number = value;
  *end = p;
  return p > s;
}

int main(void) {
  const char *s = text(), *end;
  while (*s == ' ')
    s++;
  unsigned number;
  if (!parse(s, &number, &end))
    return 1;
  klee_assert(number <= 65535);
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
