/* What `write` outputs of an object whose size is symbolic was never written, as of one of two bytes. */
#include <mneme.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  unsigned n = mneme_uint("n");
  mneme_assume(n >= 2 && n < 16);
  char *p = malloc(n);
  write(1, p, 2); // FAULT: uninitialized-read
  free(p);
  return 0;
}
