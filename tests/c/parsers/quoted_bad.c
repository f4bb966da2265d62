/* A string in quotes, with a backslash before what is taken as it is. It may be the last character. */
#include "text.h"

static const char *closing(const char *s) {
  while (*s && *s != '"') { // FAULT[!safe]: out-of-bounds-read
    if (*s == '\\') {
#ifdef SAFE
      if (!s[1])
        return NULL;
#endif
      s++;
    }
    s++;
  }
  return *s ? s : NULL;
}

int main(void) {
  const char *s = text();
  if (*s != '"')
    return 1;
  const char *end = closing(s + 1);
  if (!end)
    return 2;
  klee_assert(*end == '"' && end > s);
  if (end[1])
    return 3;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: -DSAFE --merge none #safe #apart
// RUN: -DSAFE --merge patterns #safe #patterns
// RUN: -DSAFE --merge patterns -DCAPACITY=5 --paranoid #safe #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2 3
