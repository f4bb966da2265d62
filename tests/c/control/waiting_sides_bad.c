/* Sides of forks for which the solver needs a large table wait until other paths are done: the same is found whenever they are solved. */
// RUN: --solve-sides eager #eager
// RUN: --solve-sides mixed #mixed
// RUN: --solve-sides lazy #lazy
// MODELS: objects
#include <mneme.h>

static unsigned short table[1024];

int main(void) {
  unsigned short a = mneme_ushort("a") & 1023, b = mneme_ushort("b") & 1023;
  for (unsigned i = 0; i < 1024; i++) table[i] = i * 40503u ^ i >> 3;
  int sum = 0;
  if (table[a] > 60000) sum += 1;
  if (table[b] < 500) sum += 2;
  if (table[a] + table[b] == 1) sum += 4;
  if ((table[a] ^ table[b]) == 0xffff) {
    char c[2] = {1, 2};
    return c[sum + 2]; // FAULT: out-of-bounds-read
  }
  return sum;
}

// PATHS: 4
// FAULTED: 2
// VALUES: 0 1 2 3
// EXACT: true
