/* Where an object lies is open until the program asks: both sides of a comparison with an integer are explored (thesis, chapter 9),
 * and what follows agrees with the side taken. Nothing can lie at an odd address, at another object, or above the address space. */
// RUN: #wide
// RUN: -DORDER #order
// RUN: -m32 #narrow
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(10), *q = malloc(10), *r = malloc(10);
#ifdef ORDER
  if (p < (char *)0x80000000) {
    assert((uintptr_t)p < 0x80000000 && p != (char *)0x90000000);
    return 1;
  }
  assert((uintptr_t)p >= 0x80000000);
  return 0;
#else
  int low = 0;
  if (q == (char *)0x80000001)
    return 9;
  if (q == (char *)-16)
    return 9;
  if (p == (char *)0x80000000) {
    /* The address is what the program sees from now on. */
    assert(((uintptr_t)p & 0xffff) == 0 && (uintptr_t)p >> 31 == 1);
    assert(p + 3 == (char *)0x80000003);
    assert(q != p);
    /* There is no room for another object here. */
    if (r == (char *)0x80000010)
      return 9;
    p[3] = 7;
    low = p[3];
    assert(low == 8); // FAULT[wide]: assertion-failure  // FAULT[narrow]: assertion-failure
    return 2;
  }
  assert(p != (char *)0x80000000);
  return 0;
#endif
}

// PATHS[wide]: 1
// FAULTED[wide]: 1
// VALUES[wide]: 0*1
// PATHS[narrow]: 1
// FAULTED[narrow]: 1
// PATHS[order]: 2
// VALUES[order]: 0*1 1*1
// EXIT[order]: 0
