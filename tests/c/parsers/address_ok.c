/* Four numbers up to 255 with points between them. */
#include "text.h"

static const char *number(const char *s, unsigned *value) {
  const char *p = s;
  *value = 0;
  while (*p >= '0' && *p <= '9' && p - s < 3)
    *value = *value * 10 + (unsigned)(*p++ - '0');
  return p == s || *value > 255 ? NULL : p;
}

int main(void) {
  const char *s = text();
  unsigned part, address = 0;
  for (int i = 0; i < 4; i++) {
    if (i && *s++ != '.')
      return 1;
    s = number(s, &part);
    if (!s)
      return 2;
    klee_assert(part <= 255);
    address = address << 8 | part;
  }
  if (*s)
    return 3;
  if (address == 0x7F000001)
    return 4;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 1 2
