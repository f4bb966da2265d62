/* Two blocks are lost where `main` returns. */
#include <stdlib.h>

int main(void) {
  void *p = malloc(8);
  void *q = malloc(4);
  return p == q;
} // FAULT: memory-leak

// RUN: --check leaks
