/* A tokeniser: words between blanks. */
#include "text.h"

static const char *skip(const char *s) {
  while (*s == ' ' || *s == '\t')
    s++;
  return s;
}

static const char *end_of_word(const char *s) {
  while (*s && *s != ' ' && *s != '\t')
    s++;
  return s;
}

int main(void) {
  const char *s = text();
  const char *first = skip(s);
  if (!*first)
    return 0;
  const char *end = end_of_word(first);
  klee_assert(end > first);
  const char *second = skip(end);
  if (*second)
    return 2;
  return 1;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart]: 0 1 2
