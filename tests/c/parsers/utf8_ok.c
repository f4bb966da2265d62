/* How many characters are in a string of UTF-8? */
#include "text.h"

static int following(const char *s, int count) {
  int n = 0;
  while (n < count && (s[n] & 0xC0) == 0x80)
    n++;
  return n == count;
}

int main(void) {
  const char *s = text();
  int characters = 0;
  while (*s) {
    unsigned char c = (unsigned char)*s;
    int more = c < 0x80 ? 0 : (c & 0xE0) == 0xC0 ? 1 : (c & 0xF0) == 0xE0 ? 2 : -1;
    if (more < 0 || !following(s + 1, more))
      return 9;
    s += more + 1;
    characters++;
  }
  klee_assert(characters < CAPACITY);
  if (characters == 0)
    return 1;
  return 0;
}

// RUN: -DCAPACITY=5 --merge none #apart
// RUN: -DCAPACITY=5 --merge patterns #patterns
// RUN: -DCAPACITY=4 --merge patterns --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart]: 0 1 9
