/* Bubble sort of three symbolic numbers makes three comparisons: 3! orders, one path each. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int a[3];
  klee_make_symbolic(a, sizeof a, "a");
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (a[j] > a[j + 1]) {
        int t = a[j];
        a[j] = a[j + 1];
        a[j + 1] = t;
      }
  assert((a[0] <= a[1]) & (a[1] <= a[2]));
  return 0;
}

// Paths are counted: none become one.
// RUN: --merge none
// PATHS: 6
// EXACT: true
