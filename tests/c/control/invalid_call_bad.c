/* Data is not a function. */
#include <klee/klee.h>

static int data = 5;
static int f(void) { return 0; }

int main(void) {
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  int (*g)(void) = f;
  if (which)
    g = (int (*)(void)) & data;
  return g(); // FAULT: invalid-call
}

// PATHS: 1
// FAULTED: 1
