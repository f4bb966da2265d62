/* What holds depends on a flag: if the lock is free, `old` is not `new`. */
#include <assert.h>
#include <mneme.h>

int main(void) {
  int lock = 0, old, new = 0;
  do {
    assert(lock == 0);
    lock = 1;
    old = new;
    if (mneme_bool("again")) {
      lock = 0;
      new ++;
    }
  } while (new != old);
  assert(lock == 1);
  return 0;
}

// RUN: --prove
// MODELS: objects heaplets planes
