/* A variable-length array whose length is decided by a branch. */
#include <klee/klee.h>

static int sum(int n) {
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = i + 1;
  int s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}

int main(void) {
  int big;
  klee_make_symbolic(&big, sizeof big, "big");
  int total = 0;
  for (int round = 0; round < 3; round++)
    total += sum(2);
  return total + (big ? sum(4) : sum(1));
}

// PATHS: 2
// VALUES: 10*1 19*1
// EXACT: true
