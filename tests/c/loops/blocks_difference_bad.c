/* The distance of two blocks that one loop has made leads out of the first, not into the second. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  unsigned n = mneme_uint("n");
  mneme_assume(n >= 2 && n <= 8);
  int *blocks[8];
  for (unsigned i = 0; i < n; i++)
    blocks[i] = malloc(sizeof(int));
  int *p = blocks[0], *q = blocks[1];
  *q = 3;
  int *r = p + (q - p);
  return *r; // FAULT: out-of-bounds-read
}
