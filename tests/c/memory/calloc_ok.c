/* Fresh memory of calloc is zero at every index; freed and allocated again, it still is. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 50);
  for (int round = 0; round < 2; round++) {
    unsigned short *p = calloc(50, sizeof *p);
    assert(p[i] == 0);
    p[i] = 0xffff;
    free(p);
  }
  return 0;
}

// PATHS: 1
// EXACT: true
