/* The only pointer to a block is overwritten on one path. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int again;
  klee_make_symbolic(&again, sizeof again, "again");
  char *p = malloc(4);
  if (again)
    p = malloc(8); // FAULT: memory-leak
  free(p);
  return 0;
}

// RUN: --check leaks
// PATHS: 2
