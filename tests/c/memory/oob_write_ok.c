/* All elements of a heap array are written at a symbolic index, none outside. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  long *a = calloc(8, sizeof *a);
  a[i % 8] = 1;
  long sum = 0;
  for (int k = 0; k < 8; k++)
    sum += a[k];
  free(a);
  return sum == 1 ? 0 : 1;
}

// PATHS: 1
// VALUES: 0*1
// EXACT: true
