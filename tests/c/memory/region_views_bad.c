/* One block seen as characters and as a number: a machine reads back the bytes; the paper on regions (section 4.3) calls
 * what another view has written undefined. */
#include <stdlib.h>

int main(void) {
  char *buf1 = malloc(10);
  if (buf1 == NULL)
    return 1;
  int *buf2 = (int *)buf1;
  buf1[0] = 'a';
  buf2[0] = 0;
  int same = buf1[0] == 0;
  free(buf1);
  return same ? 0 : 2; // FAULT[paper]: uninitialized-read
}

// RUN: #bytes
// RUN: --views paper --dump-regions #paper
// MODELS: regions
// PATHS[bytes]: 1
// VALUES[bytes]: 0*1
// EXACT[bytes]: true
