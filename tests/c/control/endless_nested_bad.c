/* Endless loops with rounds of their own kind: one whose round runs another loop to its end in a call, and one that
 * comes back only after many rounds. A loop that ends is none, although its variables look alike: it counts in memory. */
#include <mneme.h>

static unsigned left = 700000;

static int around(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i;
  return sum;
}

int main(void) {
  unsigned x = mneme_uint("x");
  if (x == 1)
    while (around(30) == 435) // FAULT[termination]: endless-loop
      ;
  if (x == 2)
    for (unsigned i = 0; i < 100; i = (i + 7) % 90) // FAULT[termination]: endless-loop
      ;
  while (left)
    left--;
  return 0;
}

// RUN: --max-time 30 #plain
// RUN: --check termination #termination
// MODELS: objects
// STOPS[plain]: never ends
// FAULTED[termination]: 2
// VALUES: 0
