/* The last value that is made of an address takes the object with it. */
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  uintptr_t hidden = (uintptr_t)malloc(4) ^ 0x55;
  int *p = (int *)(hidden ^ 0x55);
  *p = 1;
  p = 0;
  hidden = 0; // FAULT: memory-leak
  return (int)hidden;
}

// RUN: --check leaks
