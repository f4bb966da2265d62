// A write that is wrong for one size only: found where all sizes are considered, missed where the greatest is chosen, and cut off by
// a capacity below it, which is told.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 1) & (n <= 12));
  char *p = malloc(n);
  p[n == 5 ? n : 0] = 1; // FAULT[all]: out-of-bounds-write
  return 0;
}

// RUN: #all
// RUN: --sizes symbolic --capacity 8 #all #cut
// RUN: --sizes symbolic --capacity 4 #small
// RUN: --sizes eager #all #eager
// RUN: --sizes max #max
// RUN: --sizes max --capacity 5 #all #max
// PATHS[1]: 1
// FAULTED[all]: 1
// STOPS[cut !planes]: capacity
// FAULT@11[small planes]: out-of-bounds-write
// STOPS[small !planes]: capacity
// PATHS[eager]: 11
// EXACT[eager]: true
// PATHS[5]: 1
// EXACT[max]: false
