/* An address that the program has looked at does not come back: that is known at the end. */
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  uintptr_t hidden = (uintptr_t)malloc(4) ^ 0x55;
  hidden = 0;
  return (int)hidden; // FAULT: memory-leak
}

// RUN: --check leaks
