/* The sum is twice the counter, after any number of rounds. */
#include <mneme.h>

int main(void) {
  int n = mneme_int("n"), sum = 0;
  int i = 0;
  for (; i < n; i++)
    sum += 2;
  if (n > 0 && sum != 2 * n)
    return *(int *)0;
  return 0;
}

// RUN: --prove
// MODELS: objects heaplets
