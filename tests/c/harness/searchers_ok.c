/* Every searcher visits the same paths when nothing is cut. */
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  int r = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  for (int i = 0; i < 4; i++)
    if (x >> i & 1)
      r++;
  return r;
}

// Paths are counted: none become one.
// RUN: --search dfs --merge none
// RUN: --search bfs --merge none
// RUN: --search random-path --merge none
// RUN: --search coverage-new --merge none
// PATHS: 16
// VALUES: 0*1 1*4 2*6 3*4 4*1
// EXACT: true
