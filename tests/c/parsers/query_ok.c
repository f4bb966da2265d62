/* Pairs of a query: key=value&key=value. */
#include "text.h"

static int pair(const char **s) {
  const char *p = *s;
  while (*p && *p != '=' && *p != '&')
    p++;
  if (*p != '=' || p == *s)
    return 0;
  while (*p && *p != '&')
    p++;
  *s = *p ? p + 1 : p;
  return 1;
}

int main(void) {
  const char *s = text();
  int pairs = 0;
  while (*s) {
    if (!pair(&s))
      return 9;
    if (++pairs == 2)
      break;
  }
  return pairs;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=5 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2 9
