/* Objects may lie in any order, which then stays: all six orders of three are found by sorting, and a chain of comparisons is
 * consistent. */
#include <assert.h>
#include <stdlib.h>

int main(void) {
  char *a = malloc(8), *b = malloc(8), *c = malloc(8);
  int order = (a < b) * 4 + (b < c) * 2 + (a < c);
  /* a < b < c < a, and the same backwards. */
  assert(order != 6 && order != 1);
  assert(order != 7); // FAULT: assertion-failure
  return order;
}

// PATHS: 5
// FAULTED: 1
// VALUES: 0*1 2*1 3*1 4*1 5*1
