/* Standard input of any length: what fgets reads is a number, and the number is an index. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char line[8];
  int table[10] = {0};
  if (fgets(line, sizeof line, stdin) == NULL)
    return 1;
  int i = atoi(line);
  return i < 0 ? 2 : table[i]; // FAULT: out-of-bounds-read
}

// MODELS: objects
// RUN: --sym-stdin 2
// EXACT: true
