/* A path chooses by addresses four times, and sees them as they are from then on; a number is not looked for where bits were seen before. No
 * run of these says that all paths were explored. */
// RUN: -DMANY #many
// RUN: -DLATE #late
// RUN: -DAFTER #after
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(64);
#ifdef AFTER
  if ((uintptr_t)p & 16)
    return 1;
  assert(p != (char *)0x80000000);
#else
  for (int i = 0; i < 4; i++)
    if ((uintptr_t)malloc(8) & 16)
      return 1;
#ifdef MANY
  assert((((uintptr_t)p >> 4) & 1) == 0);
#else
  assert(p != (char *)0x80000000);
#endif
#endif
  return 0;
}

// EXACT: false
