/* What goes wrong in one round, after the loop for one number of rounds, or for an object that only some rounds have freed. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned n, use;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&use, sizeof use, "use");
  klee_assume(n <= 4);
  char *p = malloc(n), *q = malloc(8);
  q[0] = 0;
  for (unsigned i = 0; i < n; i++) {
    p[i] = (char)i;
    if (i == 2)
      free(q);
    if (i == 3 && use == 9)
      p[i + 1] = 0; // FAULT: out-of-bounds-write
  }
  if (use == 0)
    return p[2]; // FAULT: out-of-bounds-read
  if (use == 1)
    return q[0]; // FAULT: use-after-free
  if (use == 2)
    free(q); // FAULT: double-free
  klee_assert(use != 3 || n != 4); // FAULT: assertion-failure
  return 0;
}

// RUN: --merge none
// RUN: --merge loops
// RUN: --merge tree
// RUN: --merge tree --check leaks #leaks
// RUN: --merge none --check leaks #leaks
// FAULT@27[leaks]: memory-leak
