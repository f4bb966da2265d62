/* Conditions on addresses together with inputs, on several objects, on parts of pointers and through memory: what holds somewhere is
 * found, and what follows agrees with it. */
// RUN: -DMIXED #mixed
// RUN: -DINDEX #index
// RUN: -DOFFSET #offset
// RUN: -DTABLE #table
// RUN: -DTWO #two
// RUN: -DNUMBER #number
// RUN: -DPART #part
// RUN: -DALIGN #align
// RUN: -DDIVIDE #divide
// RUN: -DASSUME #assume
// RUN: -DASSUME_NUMBER #assume_number
// RUN: -DLIBRARY #library
// RUN: -DFREED #freed
// RUN: -DINPUT #input
// RUN: -DRANGE #range
// RUN: -DHIGH #high
#include <assert.h>
#include <mneme.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned slot(const void *p) { return (unsigned)((uintptr_t)p >> 4) % 16; }

int main(void) {
  unsigned x = mneme_uint("x");
  char *p = malloc(64), *q = malloc(8);
#if defined MIXED
  if (slot(p) == x) {
    assert(x < 16 && (uintptr_t)p / 16 % 16 == x);
    assert(x != 3); // FAULT[mixed]: assertion-failure
  }
#elif defined HIGH
  /* Far up for an object of one byte. */
  static char byte;
  if ((uintptr_t)&byte & 0x8000)
    assert(x != 1); // FAULT[high]: assertion-failure
  else
    assert(x != 2); // FAULT[high]: assertion-failure
#elif defined INDEX
  int filled[16] = {0, 1};
  if (filled[slot(p)])
    assert(slot(p) != 1); // FAULT[index]: assertion-failure
  else
    assert(slot(p) != 1);
#elif defined OFFSET
  mneme_assume(x < 32);
  if ((uintptr_t)(p + x) & 64)
    assert(x != 0); // FAULT[offset]: assertion-failure
  else
    assert(x != 0); // FAULT[offset]: assertion-failure
#elif defined TABLE
  char *table[2] = {p, q};
  mneme_assume(x < 2);
  if ((uintptr_t)table[x] & 64) {
    assert((x ? (uintptr_t)q : (uintptr_t)p) & 64);
    assert(x != 1); // FAULT[table]: assertion-failure
  }
#elif defined TWO
  assert((uintptr_t)p / 16 != (uintptr_t)q / 16);
  assert(slot(p) != slot(q)); // FAULT[two]: assertion-failure
#elif defined PART
  if (((unsigned char *)&p)[x % 2] == 0x47) {
    /* No low byte is that one: malloc aligns. */
    assert(x % 2 == 1);
    assert(0); // FAULT[part]: assertion-failure
  }
#elif defined ALIGN
  struct {
    char bytes[48];
  } any;
  char *buffer = any.bytes, *r = (char *)(((uintptr_t)buffer + 16) & ~(uintptr_t)15);
  assert(r > buffer && r <= buffer + 16);
  for (int i = 0; i < 32; i++)
    r[i] = 1;
  assert(r - buffer != 5); // FAULT[align]: assertion-failure
  r[32] = 1;               // FAULT[align]: out-of-bounds-write
#elif defined DIVIDE
  x %= (uintptr_t)p / 64 % 4; // FAULT[divide]: division-by-zero
#elif defined ASSUME
  mneme_assume((uintptr_t)p & 16);
  assert((uintptr_t)p & 16);
  assert(!((uintptr_t)p & 32)); // FAULT[assume]: assertion-failure
#elif defined ASSUME_NUMBER
  mneme_assume(p == (char *)0x80000000);
  assert((uintptr_t)p != 0x80000000); // FAULT[assume_number]: assertion-failure
#elif defined LIBRARY
  char text[4] = "";
  strncpy(text, "ab", slot(p) % 3);
  assert(text[1] == 0); // FAULT[library]: assertion-failure
#elif defined FREED
  free(p);
  assert(!((uintptr_t)p & 16)); // FAULT[freed]: assertion-failure
#elif defined INPUT
  if ((uintptr_t)p == mneme_ulong("address"))
    assert(!((uintptr_t)p & 16)); // FAULT[input]: assertion-failure
#elif defined RANGE
  assert((uintptr_t)p - 0x80000000 >= 4096); // FAULT[range]: assertion-failure
#else
  mneme_assume(x < 64);
  assert(p + x != (char *)0x80000010); // FAULT[number]: assertion-failure
#endif
  return 0;
}

// EXACT: true
