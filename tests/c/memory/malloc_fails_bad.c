/* An allocation may fail; the program does not look. */
#include <stdlib.h>

int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1; // FAULT: null-dereference
  free(p);
  return 0;
}

// RUN: --malloc-may-fail
// PATHS: 1
// FAULTED: 1
