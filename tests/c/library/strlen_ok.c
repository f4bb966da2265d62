/* strlen of a symbolic string: one length a path. */
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  return (int)strlen(s);
}

// Paths are counted: none become one.
// RUN: --merge none
// PATHS[objects]: <= 4
// VALUES: 0 1 2 3
// EXACT: true
