/* type/subtype; parameter=value, with tokens of letters and digits. */
#include "text.h"

static int is_token(int c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

static size_t token(const char *s) {
  size_t n = 0;
  while (is_token(s[n]))
    n++;
  return n;
}

int main(void) {
  const char *s = text();
  size_t type = token(s);
  if (!type || s[type] != '/')
    return 1;
  s += type + 1;
  size_t subtype = token(s);
  if (!subtype)
    return 2;
  s += subtype;
  if (!*s)
    return 0;
  if (*s++ != ';')
    return 3;
  size_t name = token(s);
  klee_assert(type + subtype + name + 2 < CAPACITY);
  if (s[name] == '=')
    return 4;
  return 5;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=5 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2 3 4 5
