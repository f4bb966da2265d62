/* FUNCALL makes cells for parameters and result, RETURN fills the one of the result, FUNRET takes all of them away. */
#include <assert.h>

static int twice(int x) {
  int *p = &x; /* The parameter has a cell of its own: Σ^P. */
  *p = 2 * *p;
  return x;
}

static void nothing(int x) { x = 0; }

int main(void) {
  int x = 21;
  nothing(x);
  assert(twice(x) == 42);
  assert(x == 21);
  return 0;
}

// MODELS: heaplets
// PATHS: 1
