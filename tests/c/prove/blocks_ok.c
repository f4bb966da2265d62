/* Each round frees the block of the last one and allocates another; at the end nothing is lost. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int *block = malloc(sizeof *block);
  *block = 0;
  while (mneme_bool("more")) {
    int *next = malloc(sizeof *next);
    *next = *block < 9 ? *block + 1 : 0;
    free(block);
    block = next;
  }
  int table[10] = {0};
  int result = table[*block];
  free(block);
  return result;
}

// RUN: --prove --check leaks
// MODELS: objects heaplets
