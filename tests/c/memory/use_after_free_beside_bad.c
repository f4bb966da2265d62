/* An access beside a block that has been freed: whether it is told as a use after free or as one out of bounds, it is wrong. */
#include <stdlib.h>

int main(void) {
  char *p = malloc(3);
  free(p);
  p[32] = 2; // FAULT: use-after-free
  return 0;
}
