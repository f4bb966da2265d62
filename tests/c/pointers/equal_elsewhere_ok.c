/* Pointers out of two tables are compared after four histories of allocations: the objects lie elsewhere each time, and which
 * pointers are equal does not depend on it. What was asked once is not asked again, unless addresses are in the key of the cache. */
// RUN: #aware
// RUN: --cache plain #plain
#include <klee/klee.h>
#include <stdlib.h>

static void *keep[2];

int main(void) {
  int z[2];
  klee_make_symbolic(z, sizeof z, "z");
  for (int b = 0; b < 2; b++)
    if (z[b] > 0)
      keep[b] = malloc(24 + 40 * b);
  char *row[5], *other[5];
  for (int i = 0; i < 4; i++)
    row[i] = malloc(8 + i);
  for (int i = 0; i < 4; i++)
    other[i] = row[3 - i] + i;
  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(i < 4);
  klee_assume(j < 4);
  /* row[3] is other[0]; row[i] + 1 is other[1] for i = 2. */
  if (row[i] == other[j])
    return 1;
  if (row[i] + 1 == other[j])
    return 2;
  return 0;
}

// PATHS: 12
// VALUES: 0*4 1*4 2*4
// QUERIES[aware]: <= 8
// QUERIES[plain !heaplets]: >= 11
