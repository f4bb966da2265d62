/* FUNCALL with an argument that cannot be evaluated, and FUNRET: the cells of parameters and locals are gone. */
#include <klee/klee.h>

static int *param(int x) {
  int *p = &x;
  return p;
}

static int id(int x) { return x; }

int main(void) {
  int which, *null = 0;
  klee_make_symbolic(&which, sizeof which, "which");
  if (which)
    return id(*null); // FAULT: null-dereference
  return *param(1); // FAULT: use-after-return
}

// MODELS: heaplets
// PATHS: 0
// FAULTED: 2
