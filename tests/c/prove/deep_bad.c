/* An error that comes only after millions of rounds: it is not found in time, and nothing is proved. */
#include <assert.h>
#include <mneme.h>

int main(void) {
  unsigned rounds = 0;
  while (mneme_bool("more"))
    rounds++;
  assert(rounds != 50000000);
  return 0;
}

// RUN: --prove --max-time 6
// EXACT: false
// STOPS: time
// MODELS: objects
