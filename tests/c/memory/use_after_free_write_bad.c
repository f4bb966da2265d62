/* A write through an alias of a freed block; another block of the same size lives by then. */
#include <stdlib.h>

int main(void) {
  char *p = malloc(16), *alias = p + 3;
  free(p);
  char *q = malloc(16);
  q[3] = 1;
  *alias = 2; // FAULT: use-after-free
  return q[3];
}

// PATHS: 0
// FAULTED: 1
