/* A name that is too long by one. */
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char name[5], copy[4];
  klee_make_symbolic(name, sizeof name, "name");
  name[4] = 0;
  strcpy(copy, name); // FAULT: out-of-bounds-write
  return 0;
}

// PATHS[objects]: <= 4
