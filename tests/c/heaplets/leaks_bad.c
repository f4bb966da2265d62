/* MALLOC whose result is dropped (noticed when `main` returns), ASSIGN over the last alias, OUTOFSCOPE of the last alias; an alias keeps a block. */
#include <stdlib.h>

int main(void) {
  char *p = 0;
  {
    char *q = malloc(1);
    p = q;
  }
  malloc(2);
  {
    char *r = malloc(3);
    *r = 0;
  } // FAULT: memory-leak
  p = malloc(4); // FAULT: memory-leak
  free(p);
  return 0; // FAULT: memory-leak
}

// MODELS: heaplets
// RUN: --check leaks
// PATHS: 1
