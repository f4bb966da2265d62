/* Seed 001 (thesis) Fig 1.4: ROWS buffers reached through a symbolic row index.
 * Expect: 0 errors; 1 path fails the range check (one branch), plus ROWS paths when forking per object
 * (3 in all for ROWS=2) or 1 path with a segment / if-then-else / merging model (2 in all). */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef ROWS
#define ROWS 2
#endif

int main(void) {
  char **arrays[2];
  for (int i = 0; i < 2; i++) {
    arrays[i] = malloc(ROWS * sizeof(char *));
    for (int j = 0; j < ROWS; j++)
      arrays[i][j] = malloc(10);
  }

  int i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  char **array = arrays[0];
  if ((0 <= i) & (i < ROWS) & (0 <= j) & (j < 10)) {
    char *buffer = array[i];
    buffer[j] = 'a';
  }
  return 0;
}

// RUN:
// RUN: -DROWS=64
// PATHS[1 objects]: <= 3
// PATHS[2 objects]: <= 65
// EXACT: true
// QUERIES[1 objects]: <= 13
// QUERIES[2 objects]: <= 261
