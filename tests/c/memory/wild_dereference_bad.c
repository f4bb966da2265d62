/* An integer that is nobody's address. */
#include <stdint.h>

int main(void) {
  volatile uintptr_t address = 0x1234567;
  int *p = (int *)address;
  return *p; // FAULT: wild-dereference
}

// PATHS: 0
// FAULTED: 1
