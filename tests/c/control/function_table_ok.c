/* A table of functions called at a symbolic index; one function occurs twice. */
#include <klee/klee.h>

static int one(void) { return 1; }
static int two(void) { return 2; }
static int three(void) { return 3; }
static int (*const table[])(void) = {one, two, one, three};

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  return table[i]();
}

// PATHS[objects]: <= 4
// VALUES: 1 2 3
// EXACT: true
