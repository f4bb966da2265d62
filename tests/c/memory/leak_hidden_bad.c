/* An address that was an index may come back from anywhere: that it does not is known at the end. */
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char table[8] = {0};
  uintptr_t hidden = (uintptr_t)malloc(4) ^ 0x55;
  table[(hidden >> 4) % 8] = 1;
  hidden = 0;
  return (int)hidden; // FAULT: memory-leak
}

// RUN: --check leaks
