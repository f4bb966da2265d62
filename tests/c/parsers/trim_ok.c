/* Blanks at both ends are removed, in place. */
#include "text.h"
#include <string.h>

static int is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static char *trim(char *s) {
  while (is_blank(*s))
    s++;
  char *end = s + strlen(s);
  while (end > s && is_blank(end[-1]))
    end--;
  *end = 0;
  return s;
}

int main(void) {
  char *s = trim(text());
  if (!*s)
    return 1;
  klee_assert(!is_blank(*s));
  if (is_blank(s[strlen(s) - 1]))
    return 2;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart]: 0 1
