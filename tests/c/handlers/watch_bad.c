/* Every path that writes watched bytes is reported and goes on: one at a constant place, one at a symbolic one. */
// RUN: --watch state+4:4
// RUN: --watch state+16:4
// MODELS: objects
#include <mneme.h>

static int state[8];

int main(void) {
  unsigned i = mneme_uint("i");
  mneme_assume(i < 3);
  state[0] = 1;
  if (i == 2)
    state[1] = 2; // FAULT[1]: handler-report
  else
    state[i] = 3; // FAULT[1]: handler-report
  return state[1];
}

// VALUES[1]: 0 2 3
