/* Some characters are written as two. */
#include "text.h"

static size_t room(const char *s) {
  size_t n = 1;
  for (; *s; s++)
    n += *s == '<' || *s == '&' ? 2 : 1;
  return n;
}

int main(void) {
  const char *s = text();
  char *out = malloc(2 * CAPACITY);
  size_t needed = room(s), n = 0;
  klee_assert(needed < 2 * CAPACITY);
  for (; *s; s++) {
    if (*s == '<' || *s == '&')
      out[n++] = '\\';
    out[n++] = *s;
  }
  out[n++] = 0;
  klee_assert(n == needed);
  free(out);
  if (n == 1)
    return 1;
  return 0;
}

// RUN: -DCAPACITY=5 --merge none #apart
// RUN: -DCAPACITY=5 --merge patterns #patterns
// RUN: -DCAPACITY=4 --merge patterns --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1
