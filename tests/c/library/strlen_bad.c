/* A string without its end. */
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[3];
  klee_make_symbolic(s, sizeof s, "s");
  return (int)strlen(s); // FAULT: out-of-bounds-read
}

// Paths are counted: none become one.
// RUN: --merge none
// VALUES[!planes]: 0 1 2
