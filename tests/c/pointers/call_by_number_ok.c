/* Calls through symbolic numbers: computed from addresses of functions, and made equal to one by the path. */
#include <klee/klee.h>
#include <stdint.h>

typedef int function(int);
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }

int main(void) {
  unsigned char j;
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(j < 2);
  uintptr_t difference = (uintptr_t)one ^ (uintptr_t)two;
  function *f = (function *)((uintptr_t)one ^ difference * j);
  int sum = f(0);

  function *g;
  klee_make_symbolic(&g, sizeof g, "g");
  if (g == two) sum += g(8);
  return sum;
}

// PATHS: 4
// VALUES: 1*1 2*1 11*1 12*1
