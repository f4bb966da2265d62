/* Conditions on bits of addresses that alignment, disjointness or what was decided before answers, and uses that need the number. */
// RUN: #plain
// RUN: --sizes eager #eager
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
  int key;
  struct node *next;
};

static double aligned_global;
static char bytes[64];
static unsigned hash(const void *p) { return (unsigned)((uintptr_t)p >> 4) * 2654435761u; }

int main(void) {
  char *p = malloc(5), *q = malloc(40);
  double local = 1;
  /* Alignment. */
  assert(((uintptr_t)&aligned_global & (sizeof(double) - 1)) == 0);
  assert((uintptr_t)&local % sizeof(double) == 0);
  assert(((uintptr_t)p & 15) == 0 || sizeof p == 4);
  assert(((uintptr_t)p + 3) % 8 == 3);
  /* Decided, then used as an index: the number agrees. */
  char table[8] = {0};
  int odd = ((uintptr_t)q >> 4) & 1;
  if (odd)
    table[((uintptr_t)q >> 4) % 8] = 1;
  assert(!odd || table[1] + table[3] + table[5] + table[7] == 1);
  assert(odd || table[0] + table[1] + table[2] + table[3] + table[4] + table[5] + table[6] + table[7] == 0);
  /* A hash as an index fixes the address; the hash stays what it was. */
  unsigned at = hash(p) % 64;
  bytes[at] = 7;
  assert(bytes[hash(p) % 64] == 7);
  /* A pointer with a tag is still that pointer. */
  uintptr_t tagged = (uintptr_t)q | 1;
  assert(tagged & 1);
  *(char *)(tagged & ~(uintptr_t)1) = 9;
  assert(*q == 9);
  /* Objects do not overlap, and have the order of the layout, which fixes where they lie. */
  assert((uintptr_t)p != (uintptr_t)q);
  assert(p < q || q < p);
  assert((p < q) == !(q < p));
  assert((p < q) == ((uintptr_t)p < (uintptr_t)q));
  assert(p < q ? (uintptr_t)q - (uintptr_t)p >= 5 : (uintptr_t)p - (uintptr_t)q >= 40);
  free(p);
  free(q);
  return odd;
}

// PATHS: 2
// VALUES: 0*1 1*1
// EXACT: false
