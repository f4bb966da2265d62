/* Where an object lies is open until something needs the number: a condition on bits of an address goes both ways, as far as alignment
 * allows, and what follows agrees with the side taken. */
// RUN: #wide
// RUN: -m32 #narrow
// RUN: --cache none #uncached
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(5);
  uintptr_t bits = (uintptr_t)p;
  /* malloc aligns for everything. */
  assert((bits & 7) == 0);
  if (bits & 64) {
    /* The same question, asked in another way, is decided. */
    assert(((bits >> 6) & 1) == 1);
    assert(((uintptr_t)(p + 3) & 64) != 0);
    if (bits & 32) {
      assert((bits & 96) == 96);
      assert((bits >> 5) % 4 == 2); // FAULT: assertion-failure
    }
    return 1;
  }
  assert((bits & 64) == 0);
  assert((bits >> 4) % 7 != 3); // FAULT: assertion-failure
  return 3;
}

// PATHS: 2
// FAULTED: 2
// VALUES: 1*1 3*1
