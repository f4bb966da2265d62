/* The first of two objects lies at the end of the address space, and so there is no place for the second behind it, where the layout has
 * it: what its bits are cannot be said. */
#include <mneme.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(16), *q = malloc(16);
  if (p != (char *)0x7fffffffffe0)
    return 0;
  if ((uintptr_t)q & 16)
    return 1;
  return 2;
}

// PATHS: 1
// VALUES: 0
// STOPS: places for objects
