/* Uses of an address that take it for the number it is where the object happens to lie: elsewhere the program could go another way. No
 * run of these says that all paths were explored. */
// RUN: -DMIXED #mixed
// RUN: -DINDEX #index
// RUN: -DMANY #many
// RUN: -DOFFSET #offset
// RUN: -DTABLE #table
// RUN: -DTWO #two
// RUN: -DNUMBER #number
// RUN: -DLATE #late
// RUN: -DPART #part
#include <mneme.h>
#include <stdint.h>
#include <stdlib.h>

static unsigned slot(const void *p) { return (unsigned)((uintptr_t)p >> 4) % 16; }

int main(void) {
  unsigned x = mneme_uint("x");
  char *p = malloc(64), *q = malloc(8);
#if defined MIXED
  /* Which x it is that equals them depends on the address. */
  if (slot(p) == x)
    return x == 3 ? 1 : 2;
#elif defined INDEX
  int filled[16] = {0, 1};
  return filled[slot(p)];
#elif defined MANY || defined LATE
  /* A path chooses four times. */
  for (int i = 0; i < 4; i++)
    if ((uintptr_t)malloc(8) & 16)
      return 1;
#ifdef MANY
  return ((uintptr_t)p & 16) != 0;
#else
  return p == (char *)0x80000000;
#endif
#elif defined OFFSET
  mneme_assume(x < 32);
  return ((uintptr_t)(p + x) & 64) != 0;
#elif defined TABLE
  char *table[2] = {p, q};
  mneme_assume(x < 2);
  return ((uintptr_t)table[x] & 64) != 0;
#elif defined TWO
  return slot(p) == slot(q);
#elif defined PART
  /* Some byte of a pointer. */
  return ((unsigned char *)&p)[x % 2] == 0x40;
#else
  mneme_assume(x < 64);
  return p + x == (char *)0x80000010;
#endif
  return 0;
}

// EXACT: false
