/* Seed 001 (thesis) Fig 4.1: N x N matrix of separately allocated rows, read at [i][j], after BRANCHES
 * symbolic branches that each allocate one more object (so 2^BRANCHES allocation histories).
 * Expect: 0 errors; per history N+1 paths when forking per object, 2 otherwise:
 * N=2,BRANCHES=1 gives 6 or 4. An address-aware cache solves the matrix queries once, not 2^BRANCHES times. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif
#ifndef BRANCHES
#define BRANCHES 1
#endif
#define MAGIC 7

static void *keep[BRANCHES];

int main(void) {
  int z[BRANCHES];
  klee_make_symbolic(z, sizeof z, "z");
  for (int b = 0; b < BRANCHES; b++)
    if (z[b] > 0) {
#ifdef NOALLOC /* control: same branches, same allocation history */
      keep[b] = keep;
#else
      keep[b] = malloc(N);
#endif
    }

  char **array = calloc(N, sizeof(char *));
  for (unsigned i = 0; i < N; i++)
    array[i] = calloc(N, 1);
  array[0][1] = MAGIC;

  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(i < N);
  klee_assume(j < N);
  if (array[i][j] == MAGIC)
    return 1;
  return 0;
}

// RUN:
// RUN: -DN=4 -DBRANCHES=3 #large
// RUN: -DN=4 -DBRANCHES=3 -DNOALLOC #large
// RUN: -DN=4 -DBRANCHES=4 #branch
// PATHS[1 objects]: <= 6
// PATHS[large objects]: <= 40
// EXACT: true
// QUERIES[!planes-naive !heaplets]: <= 2
