/* What a caller passes may lie anywhere: the low bits of its address are not known, as far as its type leaves them open, and
   neither is the order of two blocks. */
#include <stdint.h>

int low_bits(const unsigned char *p) {
  if (!p)
    return 0;
  if (((uintptr_t)p & 3) == 0)
    return 1;
  if (p[0] == 'a')
    return 2;
  return 3;
}

/* Not even where nothing is there yet. */
int before_access(const void *p) {
  if (p && (uintptr_t)p % 8 == 5)
    return 1;
  return 0;
}

int of_type(const int *p) {
  if ((uintptr_t)p & 3)
    return 1;
  return 0;
}

int order(char *a, char *b) {
  if (!a || !b)
    return 0;
  if (a == b)
    return 1;
  if (a < b)
    return 2;
  return 3;
}

/* Three blocks have six orders. */
int sorted(int *a, int *b, int *c) {
  if (!a || !b || !c || a == b || b == c || a == c)
    return 0;
  if (a < b && b < c)
    return 1;
  if (a < c && c < b)
    return 2;
  if (b < a && a < c)
    return 3;
  if (b < c && c < a)
    return 4;
  if (c < a && a < b)
    return 5;
  if (c < b && b < a)
    return 6;
  return 7;
}

// RUN: --function low_bits #bits
// VALUES[bits]: 0 1 2 3
// RUN: --function before_access #before
// VALUES[before]: 0 1
// RUN: --function of_type #type
// VALUES[type]: 0
// RUN: --function order #order
// VALUES[order]: 0 1 2 3
// RUN: --function sorted #sorted
// VALUES[sorted]: 0 1 2 3 4 5 6
// EXACT: true
// MODELS: objects planes
