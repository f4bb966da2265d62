/* Bytes of a pointer may go through handlers one by one: together they are the pointer again, whose address nobody has seen. */
// RUN: --handler heap-check --concrete-handler heap-check
// RUN: --handler pass --concrete-handler pass
// RUN: --handler range-check,fork-objects --concrete-handler range-check
// RUN:
// MODELS: objects planes
#include <mneme.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned char *blocks[3];
  for (int k = 0; k < 3; k++)
    blocks[k] = calloc(3 + k, 1);
  unsigned at = mneme_uint("at"), i = mneme_uint("i");
  mneme_assume(at < 2 && i < 3);
  memmove(blocks + at + 1, blocks + at, (2 - at) * sizeof *blocks);
  for (size_t k = 0; k < sizeof *blocks; k++)
    ((char *)blocks)[k] = ((char *)(blocks + 1))[k];
  blocks[i][2] = 7;
  mneme_assert(blocks[0] == blocks[1] && blocks[i][2] == 7);
  return 0;
}

// EXACT: true
