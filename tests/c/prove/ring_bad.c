/* The same with an index that goes one too far: the run finds that, and the proof that there is nothing else. */
#include <mneme.h>

int main(void) {
  int ring[10] = {0};
  int next = 0;
  while (mneme_bool("more")) {
    ring[next] = 1; // FAULT: out-of-bounds-write
    next = next == 10 ? 0 : next + 1;
  }
  return 0;
}

// RUN: --prove
// MODELS: objects heaplets planes
