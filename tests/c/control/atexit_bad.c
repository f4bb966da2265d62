/* Handlers run at exit, the last registered first. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static int count;
static void last(void) {
  assert(count == 1); // FAULT: assertion-failure
}
static void first(void) { count++; }

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  atexit(last);
  if (x)
    atexit(first);
  return 0;
}

// PATHS: 1
// FAULTED: 1
