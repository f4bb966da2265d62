/* Bits of an address that were kept in memory, and conditions that select values: both sides, consistently. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

struct entry {
  unsigned hash;
  void *p;
};

int main(void) {
  struct entry *e = malloc(sizeof *e);
  e->p = malloc(1);
  e->hash = (unsigned)((uintptr_t)e->p >> 4) * 31;
  int low = e->hash % 2 == 0 ? 10 : 20;
  if (e->hash & 1)
    assert(low == 20);
  else
    assert(low == 20); // FAULT: assertion-failure
  assert(e->hash == (unsigned)((uintptr_t)e->p >> 4) * 31);
  return low;
}

// PATHS: 1
// FAULTED: 1
// VALUES: 20*1
