/* A pointer to a freed block may be compared with NULL, overwritten and thrown away, only not used. */
#include <stdlib.h>

int main(void) {
  char *p = malloc(16);
  p[0] = 5;
  char kept = p[0];
  free(p);
  p = malloc(16);
  p[0] = kept;
  int r = p[0];
  free(p);
  return r;
}

// PATHS: 1
// VALUES: 5*1
// EXACT: true
