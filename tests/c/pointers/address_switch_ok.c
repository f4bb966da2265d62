/* A switch over bits of an address has the cases that alignment allows. */
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(1);
  switch ((uintptr_t)p & 0x70) {
  case 0x00:
    return 1;
  case 0x20:
    return 2;
  case 0x28:
    return 9;
  case 0x40:
    return 3;
  default:
    return ((uintptr_t)p & 0x70) == 0 ? 8 : 4;
  }
}

// PATHS: 4
// VALUES: 1*1 2*1 3*1 4*1
