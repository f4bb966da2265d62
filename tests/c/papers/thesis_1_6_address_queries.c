/* Seed 001 (thesis) Fig 1.6: the same address-dependent queries after a different allocation history.
 * Expect: 0 errors; 2*(1+ROWS)=6 paths when forking per object, 2*(1+1)=4 otherwise.
 * The z==0 side repeats the queries of the other side up to renaming of base addresses: an
 * address-aware cache sends (nearly) nothing new to the solver for it. -DNOALLOC is the control. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef ROWS
#define ROWS 2
#endif

static void *keep[3];
static void allocate_objects(void) {
#ifndef NOALLOC
  keep[0] = malloc(10);
  keep[1] = malloc(16);
  keep[2] = malloc(24);
#endif
}

int main(void) {
  int z;
  klee_make_symbolic(&z, sizeof z, "z");
  if (z == 0)
    allocate_objects();

  char **array = calloc(ROWS, sizeof(char *));
  for (int i = 0; i < ROWS; i++)
    array[i] = calloc(10, 1);

  int i, j, hit = 0;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  if ((0 <= i) & (i < ROWS) & (0 <= j) & (j < 10)) {
    char *buffer = array[i];
    if (buffer[j] == 'a')
      hit = 1;
  }
  return hit;
}

// RUN: #small
// RUN: -DNOALLOC #small
// RUN: -DROWS=32 #large
// RUN: -DROWS=32 -DNOALLOC #large
// PATHS[small objects]: <= 6
// PATHS[large objects]: <= 66
// EXACT: true
// QUERIES[!planes-naive !heaplets]: <= 4
