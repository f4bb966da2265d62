/* A pointer that is read from a record at a symbolic index, alone or copied with its structure. Every access is out of bounds, none is wild, none
 * reaches the large object beside. */
// RUN: -DLO=3 -DHI=500
// RUN: -DLO=64 -DHI=64
// RUN: -DLO=3 -DHI=500 -DDIRECT
// RUN: -DLO=64 -DHI=64 -DDIRECT
// RUN: -DLO=3 -DHI=500 -m32
// RUN: -DLO=64 -DHI=64 -DDIRECT -m32
#include <mneme.h>

struct s {
  char tag;
  char *p;
  short v;
};

int main(void) {
  char a[3] = {1, 2, 3}, b[3] = {4, 5, 6}, big[4096];
  struct s t[3] = {{0, a, 10}, {1, b, 20}, {2, a + 1, 3}};
  mneme_symbolic(big, 1, "big");
  int i = mneme_between(0, 2, "i"), k = mneme_between(LO, HI, "k");
#ifdef DIRECT
  char *p = t[i].p;
#else
  struct s c = t[i];
  char *p = c.p;
#endif
  p[k] = 1; // FAULT: out-of-bounds-write
  return 0;
}

// PATHS: 0
// EXACT: true
