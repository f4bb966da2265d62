/* One entry of a table of pointers was never set. */
#include <klee/klee.h>

static int a = 1, b = 2;
static int *table[4] = {&a, &b, 0, &a};

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  return *table[i]; // FAULT: null-dereference
}

// FAULTED: 1
// VALUES[objects]: 1 2
