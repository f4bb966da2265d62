/* Seed 001 (thesis) Fig 3.2: N separately allocated rows of 256 zero bytes, read at [i][j], i < N, j < 100.
 * Expect: 0 errors; N paths when forking per object, 1 path with segments (the comparison is never true). */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif

int main(void) {
  char **array = calloc(N, sizeof(char *));
  for (unsigned i = 0; i < N; i++)
    array[i] = calloc(256, 1);

  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(i < N);
  klee_assume(j < 100);
  if (array[i][j] == 1)
    return 1;
  return 0;
}

// RUN:
// RUN: -DN=64
// PATHS[1 objects]: <= 2
// PATHS[2 objects]: <= 64
// VALUES: 0
// EXACT: true
// QUERIES[1 objects]: <= 11
// QUERIES[2 objects]: <= 202
