/* A field of a CSV line, quoted or not; a doubled quote is one. */
#include "text.h"

static const char *plain(const char *s) {
  while (*s && *s != ',' && *s != '"')
    s++;
  return s;
}

static const char *quoted(const char *s) {
  for (;;) {
    while (*s && *s != '"')
      s++;
    if (!*s)
      return NULL;
    if (s[1] != '"')
      return s + 1;
    s += 2;
  }
}

int main(void) {
  const char *s = text();
  const char *end = *s == '"' ? quoted(s + 1) : plain(s);
  if (!end)
    return 1;
  if (*end == '\0')
    return 0;
  klee_assert(end - s < CAPACITY);
  if (*end == ',')
    return 2;
  return 3;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2 3
