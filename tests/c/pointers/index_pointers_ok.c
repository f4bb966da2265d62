/* Objects behind an array of pointers: a write through one symbolic index, a read through another. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int *p[3];
  for (int n = 0; n < 3; n++) {
    p[n] = malloc(sizeof(int));
    *p[n] = n;
  }
  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume((i < 3) & (j < 3));
  *p[i] = 50;
  assert((*p[j] == 50) == (i == j));
  for (int n = 0; n < 3; n++)
    free(p[n]);
  return 0;
}

// PATHS[objects]: <= 9
// EXACT: true
