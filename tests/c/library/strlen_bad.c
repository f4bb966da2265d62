/* A string without its end. */
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[3];
  klee_make_symbolic(s, sizeof s, "s");
  return (int)strlen(s); // FAULT: out-of-bounds-read
}

// VALUES[!planes]: 0 1 2
