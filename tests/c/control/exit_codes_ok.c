/* exit from a nested call, and return from main. */
#include <klee/klee.h>
#include <stdlib.h>

static void leave(int code) { exit(code); }

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x < 0)
    leave(3);
  if (x == 0)
    exit(EXIT_SUCCESS);
  return 4;
}

// PATHS: 3
// VALUES: 0*1 3*1 4*1
// EXACT: true
