/* abort under a condition. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char c;
  klee_make_symbolic(&c, sizeof c, "c");
  if (c == 'x')
    abort(); // FAULT: abort
  return 0;
}

// PATHS: 1
// FAULTED: 1
