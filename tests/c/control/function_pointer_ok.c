/* Functions as arguments and results; pointers to them compare. */
#include <assert.h>
#include <klee/klee.h>

typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static op choose(int plus) { return plus ? add : sub; }
static int apply(op f, int a, int b) { return f(a, b); }

int main(void) {
  int plus;
  klee_make_symbolic(&plus, sizeof plus, "plus");
  op f = choose(plus);
  assert((f == add) == (plus != 0));
  assert(f != 0);
  return apply(f, 5, 2);
}

// PATHS: 2
// VALUES: 3*1 7*1
// EXACT: true
