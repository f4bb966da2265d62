/* Different objects never have the same address, not even one past an end. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char a[4] = "abc", b[4] = "def";
  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume((i <= 4) & (j <= 4));
  assert(a + i != b + j);
  assert(a + i != NULL);
  char *p = malloc(1), *q = malloc(1);
  assert(p != q);
  free(p);
  assert(q != NULL);
  free(q);
  return a[0] == b[0];
}

// PATHS: 1
// VALUES: 0*1
// EXACT: true
