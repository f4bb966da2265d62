/* Seed 004 (Clang region model) section 7: a large local array is declared on many paths and hardly used.
 * Expect: 0 errors, 2^DEPTH paths; the cost per path should not grow with the array size ELEMS (lazy binding). */
#include <klee/klee.h>
#ifndef DEPTH
#define DEPTH 8
#endif
#ifndef ELEMS
#define ELEMS 8096
#endif

static int use(int v) {
  int buf[ELEMS];
  buf[v & 1] = v;
  return buf[v & 1];
}

int main(void) {
  unsigned bits;
  int r = 0;
  klee_make_symbolic(&bits, sizeof bits, "bits");
  for (int i = 0; i < DEPTH; i++)
    if (bits >> i & 1)
      r += use(i);
    else
      r += use(i + 1);
  return r;
}

// Paths are counted: none become one.
// RUN: --merge none
// RUN: -DELEMS=64 --merge none
// RUN: -DELEMS=4000000 --merge none --max-stack 20000000
// PATHS: 256
// EXACT: true
// QUERIES[1 objects]: <= 256
// QUERIES[2 objects]: <= 256
// QUERIES[3 objects]: <= 256
