/* Where an empty line ends the headers of a message. */
#include "text.h"

static const char *line_end(const char *s) {
  while (*s && *s != '\n')
    s++;
  return s;
}

int main(void) {
  const char *s = text();
  const char *begin = s;
  for (int lines = 0; lines < 3; lines++) {
    const char *end = line_end(s);
    if (!*end)
      return 1;
    if (end == s) {
      klee_assert(end == begin || end[-1] == '\n');
      return 0;
    }
    s = end + 1;
  }
  return 2;
}

// RUN: -DCAPACITY=8 --merge none #apart
// RUN: -DCAPACITY=8 --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=5 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2
