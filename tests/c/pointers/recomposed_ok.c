/* What is computed from the bits of a pointer and is that pointer wherever its object lies, is the pointer: nobody has looked at an address. */
#include <mneme.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  unsigned char x = mneme_uchar("x");
  char *p = malloc(16), *q = malloc(8);
  p[3] = 7;
  q[3] = 9;
  char *r = (char *)((uintptr_t)p * 3 / 3);
  mneme_assert(r[3] == 7);
  uintptr_t key = (uintptr_t)x * 0x0101010101010101u;
  uintptr_t hidden = (uintptr_t)(x & 1 ? p : q) ^ key;
  char *s = (char *)((hidden & 0xffff) | (hidden >> 16 << 16)) + 3;
  s = (char *)((uintptr_t)s - 3);
  s = (char *)((uintptr_t)s ^ key);
  mneme_assert(s[3] == (x & 1 ? 7 : 9));
  free(p);
  free(q);
  return 0;
}
// EXACT: true
