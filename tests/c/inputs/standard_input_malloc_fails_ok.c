/* Where allocations may fail, standard input is there all the same: it is not the program that asks for its memory. */
#include <mneme.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *block = malloc(3);
  if (!block)
    return 7;
  free(block);
  return getchar() == 'z' ? 1 : 0;
}

// RUN: --malloc-may-fail --sym-stdin 1
// PATHS: 3
// FAULTED: 0
