/* Seed 002 (symMMU) section 5.6, heap violations: branch on uninitialised heap and stack bytes.
 * Expect: uninitialised read on line 18 (heap, when n < 4) and on line 20 (stack, when n == 9);
 * an engine that gives fresh memory a fixed content reports nothing and takes one arbitrary side. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 10);
  char *p = malloc(4);
  char local[4];
  for (unsigned i = 0; i < 4 && i < n; i++)
    p[i] = 0;
  if (n != 9)
    local[2] = 0;
  int r = 0;
  if (p[3] == 0) /* BUG1 */ // FAULT: uninitialized-read
    r += 1;
  if (local[2] == 0) /* BUG2 */ // FAULT: uninitialized-read
    r += 2;
  return r;
}

// PATHS[objects]: <= 6
// QUERIES[objects]: <= 11
