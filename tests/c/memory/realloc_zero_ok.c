/* realloc(p, 0) frees the block and gives null, as glibc does; realloc(NULL, 0) is malloc(0). */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(4);
  *p = 'a';
  unsigned n = mneme_uint("n");
  mneme_assume(n <= 8);
  p = realloc(p, n);
  if (n == 0)
    return p == NULL ? 3 : 7;
  assert(*p == 'a');
  free(p);
  p = realloc(NULL, 0);
  int made = p != NULL;
  free(p);
  return made;
}

// RUN: --check leaks
// RUN: --check leaks --m32
// PATHS: 2
// VALUES: 1*1 3*1
// EXACT: true
