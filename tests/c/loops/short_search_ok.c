/* A parser's searches over a few bytes are executed, also by `planes`: what follows asks the solver nothing. */
#include <klee/klee.h>

static const char *blanks(const char *s) {
  while (*s == ' ' || *s == '\t')
    s++;
  return s;
}

static const char *word(const char *s) {
  while (*s && *s != ' ' && *s != '=')
    s++;
  return s;
}

int main(void) {
  char line[5];
  klee_make_symbolic(line, sizeof line, "line");
  line[4] = 0;
  const char *name = blanks(line);
  const char *end = blanks(word(name));
  return *end == '=' && *word(blanks(end + 1)) == 0;
}

// RUN: --merge none #alone
// RUN: #merged
// PATHS[alone]: 229
// PATHS[merged]: 50
// QUERIES[alone !planes]: 0
// QUERIES[alone planes]: <= 64
