/* The value of a name in a list: a=x; b=y. */
#include "text.h"

static const char *value_of(const char *s, char name) {
  while (*s) {
    const char *begin = s;
    while (*s && *s != ';')
      s++;
    if (begin[0] == name && begin + 1 < s && begin[1] == '=')
      return begin + 2;
    while (*s == ';' || *s == ' ')
      s++;
  }
  return NULL;
}

int main(void) {
  const char *value = value_of(text(), 'b');
  if (!value)
    return 1;
  klee_assert(value[-1] == '=' && value[-2] == 'b');
  if (*value && *value != ';')
    return 0;
  return 2;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
