/* Two blocks change their roles after many rounds: that the leak of one is known says nothing about the other. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int *first = calloc(1, sizeof *first);
  int *second = calloc(1, sizeof *second);
  unsigned rounds = 0;
  if (mneme_bool("early")) {
    free(first);
    return 0;
  }
  while (mneme_bool("more")) {
    rounds = rounds < 9000 ? rounds + 1 : 0;
    if (rounds == 8000) {
      int *swapped = first;
      first = second;
      second = swapped;
    }
  }
  free(first);
  return 0;
} // FAULT: memory-leak

// RUN: --prove --check leaks --max-time 3
// MODELS: objects
// EXACT: false
// STOPS: time
