/* However a program asks where objects are, the answers agree: by bits, by comparing with numbers and inputs, by distance and by order. */
// RUN: -DINPUT #input
// RUN: -DBELOW #below
// RUN: -DNUMBER #number
// RUN: -DDISTANCE #distance
// RUN: -DOFFSET #offset
// RUN: -DSTALE #stale
// RUN: -DORDER #order
#include <assert.h>
#include <mneme.h>
#include <stdint.h>
#include <stdlib.h>

typedef uintptr_t Bits;

int main(void) {
  Bits x = mneme_ulong("x");
  char *p = calloc(64, 1), *q = calloc(64, 1);
#if defined INPUT
  if ((Bits)p == x) {
    assert((Bits)p / 16 % 2 == x / 16 % 2);
    *(char *)x = 1;
    assert(p[0] == 1);
  }
#elif defined BELOW
  if ((Bits)p < x)
    assert((Bits)p / 16 <= x / 16);
  else
    assert((Bits)p / 16 >= x / 16);
#elif defined NUMBER
  if (p == (char *)0x80000000) {
    *(char *)0x80000001 = 1;
    assert(p[1] == 1);
  }
#elif defined DISTANCE
  if ((Bits)q - (Bits)p == 0x1000)
    assert(p + 0x1000 == q);
  else
    assert(p + 0x1000 != q);
#elif defined OFFSET
  if (p + x == q)
    assert(((Bits)q - (Bits)p) / 16 == x / 16);
#elif defined STALE
  /* A number that meant an object means no other one later. */
  char *again = (char *)((Bits)p ^ x ^ (x & ~(Bits)16) ^ (x & 16));
  *again = 1;
  free(p);
  char *r = malloc(64);
  char *rebuilt = (char *)(((Bits)r / 64 << 6) + (Bits)r % 64);
  *rebuilt = 1;
#else
  _Alignas(64) char wide[64] = {0};
  char narrow = 0;
  if ((Bits)wide / 64 % 4096 == 4000)
    assert((wide < &narrow) == ((Bits)wide / 2 < (Bits)&narrow / 2));
#endif
  return 0;
}

// EXACT[!order]: true
// EXACT[order]: false
