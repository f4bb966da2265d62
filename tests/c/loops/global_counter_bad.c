/* Loops with a counter in memory: one that stores over its own counter, and one that runs over the end of an array. */
#include <assert.h>
#include <klee/klee.h>

int i;
int values[8];
// The last one counts.
unsigned words[5];

int main(void) {
  unsigned n, stores = 0;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 8);
  for (words[4] = 0; words[4] < n; words[4]++) {
    words[words[4]] = 6; // FAULT: out-of-bounds-write
    stores++;
  }
  // After the fifth store it goes on at 7, where only the largest n is greater.
  assert(words[4] == (n < 5 ? n : 7));
  assert(stores < 5); // FAULT: assertion-failure
  for (i = 0; i <= (int)n + 4; i++)
    values[i] = i; // FAULT: out-of-bounds-write
  return 0;
}

// EXACT: true
