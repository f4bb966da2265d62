/* A ring buffer that is written as often as the input says: the index never leaves it. */
#include <mneme.h>

int main(void) {
  int ring[10] = {0};
  int next = 0;
  while (mneme_bool("more")) {
    ring[next] = 1;
    next = next == 9 ? 0 : next + 1;
  }
  return 0;
}

// RUN: --prove
// MODELS: objects heaplets planes
