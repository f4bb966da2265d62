/* Seed 003 (separation-logic slides), function return edge: the address of a local outlives its function.
 * Expect: invalid read (dangling pointer into a popped frame) on line 18, also with another frame pushed in between. */
#include <klee/klee.h>

static char *leak_address(char v) {
  char x = v;
  char *volatile p = &x;
  return p;
}
static int other(int v) {
  volatile int y = v;
  return y + 1;
}

int main(void) {
  char *p = leak_address(3);
  int r = other(5);
  return *p + r; /* BUG */ // FAULT: use-after-return
}

// PATHS: 0
// FAULTED: 1
// QUERIES[objects]: <= 0
