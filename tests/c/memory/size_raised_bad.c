// A capacity below every size that the path allows is raised until one fits; larger ones are told.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 100) & (n <= 1000));
  char *p = malloc(n);
  p[99] = 1;
  p[100] = 1; // FAULT[1]: out-of-bounds-write
  return 0;
}

// RUN: --capacity 8
// RUN: --capacity 8 --sizes max #max
// PATHS: 1
// STOPS[1 !planes]: capacity
// EXACT[max]: false
