/* What realloc(p, 0) has freed is gone. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(4), *old = p;
  *p = 1;
  unsigned char n = mneme_uchar("n");
  p = realloc(p, n);
  if (n > 0)
    return *p;
  return *old; // FAULT: use-after-free
}

// VALUES: 1
// FAULTED: 1
