/* Percent signs with two digits become one byte. The digits may be missing. */
#include "text.h"

static int digit(int c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int unescape(char *s) {
  char *to = s;
  while (*s) { // FAULT[!safe]: out-of-bounds-read
    if (*s == '%') {
#ifdef SAFE
      if (digit(s[1]) < 0 || digit(s[2]) < 0)
        return -1;
#endif
      *to++ = (char)(digit(s[1]) * 16 + digit(s[2])); // FAULT[!safe]: out-of-bounds-read
      s += 3;
    } else {
      *to++ = *s++;
    }
  }
  *to = 0;
  return 0;
}

int main(void) {
  char *s = text();
  if (unescape(s))
    return 1;
  return 0;
}

// RUN: -DCAPACITY=4 --merge none #apart
// RUN: -DCAPACITY=4 --merge patterns #patterns
// RUN: -DCAPACITY=5 -DSAFE --merge none #safe #apart
// RUN: -DCAPACITY=5 -DSAFE --merge patterns #safe #patterns
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[safe apart]: 0 1
