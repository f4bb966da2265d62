/* The last part of a path, without slashes at its end. */
#include "text.h"
#include <string.h>

static size_t basename_of(const char *path, const char **begin) {
  const char *end = path + strlen(path);
  while (end > path && end[-1] == '/')
    end--;
  const char *p = end;
  while (p > path && p[-1] != '/')
    p--;
  *begin = p;
  return end - p;
}

int main(void) {
  const char *path = text(), *begin;
  size_t length = basename_of(path, &begin);
  if (length == 0)
    return 1;
  klee_assert(begin[length - 1] != '/' && begin[0] != '/');
  klee_assert(begin == path || begin[-1] == '/');
  if (begin == path)
    return 2;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
