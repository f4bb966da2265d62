/* What `write` outputs of an object whose size is symbolic was written before. */
#include <mneme.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  unsigned n = mneme_uint("n");
  mneme_assume(n >= 2 && n < 16);
  char *p = malloc(n);
  p[0] = 'a', p[1] = 'b';
  write(1, p, 2);
  free(p);
  return 0;
}

// PATHS: 1
