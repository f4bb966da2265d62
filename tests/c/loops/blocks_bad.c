/* Errors with one of the blocks that a loop made: past its end, after it was freed, freed twice. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *block[5];
  unsigned n, k, m, what;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_make_symbolic(&m, sizeof m, "m");
  klee_make_symbolic(&what, sizeof what, "what");
  klee_assume(n <= 5);
  klee_assume((k < n) & (m < n));
  for (unsigned i = 0; i < n; i++)
    block[i] = calloc(3, 1);
  if (what == 0)
    return block[k][3]; // FAULT: out-of-bounds-read
  free(block[k]);
  if (what == 1)
    return block[m][2]; // FAULT: use-after-free
  if (what == 2)
    free(block[m]); // FAULT: double-free
  return 0;
}

// EXACT: true
