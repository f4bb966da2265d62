/* As many bytes are written out as were written before, whatever the length is. */
#include <mneme.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  unsigned n = mneme_uint("n");
  mneme_assume(n < 8 && n != 0);
  mneme_assume(n * n > 20);
  char *p = malloc(8);
  memset(p, 'x', n);
  write(1, p, n);
  free(p);
  return 0;
}
