/* Loops that come back to exactly where they were never end; those that count, allocate or write do. */
#include <mneme.h>

static int state = 3;

static int next(int s) {
  return s == 1 ? 3 : s - 1;
}

int main(void) {
  unsigned x = mneme_uint("x");
  if (x == 1)
    for (;;) // FAULT[termination]: endless-loop
      ;
  if (x == 2)
    for (int i = 3; i; i = next(i)) // FAULT[termination]: endless-loop
      ;
  while (x == 3) // FAULT[termination]: endless-loop
    state = 3;
  long sum = 0;
  for (long i = 0; i < 700000; i++)
    sum += i & 1;
  return sum != 350000;
}

// RUN: --max-time 20 #plain
// RUN: --check termination #termination
// MODELS: objects
// STOPS[plain]: never ends
// FAULTED[termination]: 3
// VALUES: 0
