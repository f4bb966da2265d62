/* A pointer to one of three objects: a path for each, one access at a symbolic offset in it (symMMU, 4.1.7). The third is
 * too short. */
// RUN: --handler fork-objects
// RUN: --handler range-check,fork-objects
// MODELS: objects planes
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  char *objects[3] = {malloc(8), malloc(8), malloc(7)};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 7; i++)
      objects[k][i] = 10 * k + i;
  objects[0][7] = 7;
  objects[1][7] = 17;
  unsigned which = mneme_uint("which"), at = mneme_uint("at");
  mneme_assume(which < 3 && at < 8);
  char *p = objects[which] + at;
  char got = *p; // FAULT: out-of-bounds-read
  mneme_assert(got == (char)(10 * which + at));
  *p = 1;
  mneme_assert(objects[which][at] == 1);
  return 0;
}

// PATHS: 3
// FAULTED: 1
