/* Copies of no byte touch nothing, whatever has become of the block: one that a loop made as any other. */
#include <mneme.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), len = mneme_uint("len");
  char *block[8], other[4] = "abc";
  mneme_assume(n >= 1 && n <= 8 && k < n && len <= 2);
  for (unsigned i = 0; i < n; i++)
    block[i] = malloc(4);
  char *p = block[k];
  memset(p, 0, 4);
  free(p);
  if (len == 0)
    memcpy(p, other, len);
  return 0;
}
