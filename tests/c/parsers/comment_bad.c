/* Text without its comments. What ends a comment may be missing. */
#include "text.h"

static const char *after_comment(const char *s) {
#ifdef SAFE
  while (*s && !(s[0] == '*' && s[1] == '/'))
    s++;
  return *s ? s + 2 : s;
#else
  while (!(s[0] == '*' && s[1] == '/')) // FAULT[!safe]: out-of-bounds-read
    s++;
  return s + 2;
#endif
}

int main(void) {
  const char *s = text();
  int comments = 0;
  while (*s) {
    if (s[0] == '/' && s[1] == '*') {
      s = after_comment(s + 2);
      comments++;
    } else {
      s++;
    }
  }
  if (comments)
    return 1;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: -DSAFE --merge none #safe #apart
// RUN: -DSAFE --merge patterns #safe #patterns
// RUN: -DSAFE --merge patterns -DCAPACITY=4 --paranoid #safe #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1
