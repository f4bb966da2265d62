/* The paths of a call become one when it returns, however they return, and calls nest. */
#include <klee/klee.h>
#include <stdlib.h>

static int sign(int x) {
  if (x < 0)
    return -1;
  if (x == 0)
    return 0;
  return 1;
}

static int *make(int x, int n) {
  int *p = malloc(4 * sizeof *p);
  for (int i = 0; i < 4; i++)
    p[i] = sign(x) * i;
  if (n == 7) {
    free(p);
    return 0;
  }
  return p;
}

int main(void) {
  int x, n;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&n, sizeof n, "n");
  int *p = make(x, n);
  klee_assert(!p == (n == 7));
  if (p) {
    klee_assert(p[3] == 3 * ((x > 0) - (x < 0)));
    free(p);
  }
  return 0;
}

// RUN: --merge-at sign #sign
// RUN: --merge-at sign --merge-at make #both
// RUN: --merge-at make --merge loops #plain
// PATHS[sign]: 2
// PATHS[both]: 2
// PATHS[plain]: 2
