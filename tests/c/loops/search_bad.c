/* A string without end: the search runs off the array. */
#include <klee/klee.h>

int main(void) {
  char s[80];
  klee_make_symbolic(s, sizeof s, "s");
  int n = 0;
  while (s[n] != 'x') // FAULT: out-of-bounds-read
    n++;
  return n == 3;
}

// Paths are counted: none become one.
// RUN: --merge none
// FAULTED: 1
// PATHS[planes]: <= 2
// PATHS[!planes]: 80
