/* Sorting symbolic numbers: every order is a path, the result is sorted and keeps the sum. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  unsigned char x = *(const unsigned char *)a, y = *(const unsigned char *)b;
  return (x > y) - (x < y);
}

int main(void) {
  unsigned char a[3];
  klee_make_symbolic(a, sizeof a, "a");
  int sum = a[0] + a[1] + a[2];
  qsort(a, 3, 1, compare);
  assert((a[0] <= a[1]) & (a[1] <= a[2]));
  assert(a[0] + a[1] + a[2] == sum);
  return 0;
}

// PATHS: >= 6
// EXACT: true
