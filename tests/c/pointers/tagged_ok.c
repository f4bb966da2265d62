/* Tricks with the bits of a pointer: a tag in its lowest bit, a mask of exclusive or, an address as a hash. */
#include <assert.h>
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  int v;
  klee_make_symbolic(&v, sizeof v, "v");
  int *p = malloc(sizeof *p);
  *p = v;
  uintptr_t bits = (uintptr_t)p;
  assert(bits % sizeof *p == 0);
  uintptr_t tagged = bits | 1;
  assert((tagged & 1) == 1);
  assert(*(int *)(tagged & ~(uintptr_t)1) == v);
  uintptr_t hidden = bits ^ 0x5a5a;
  assert(*(int *)(hidden ^ 0x5a5a) == v);
  char buckets[8] = {0};
  buckets[(bits >> 4) % 8] = 1;
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += buckets[i];
  free(p);
  return sum;
}

// PATHS: 1
// VALUES: 1*1
