// Where the capacity had to be raised, later objects of the same place get as much; those of other places do not.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned long n[2];
  klee_make_symbolic(n, sizeof n, "n");
  klee_assume((n[0] > 20) & (n[0] <= 32));
  klee_assume(n[1] <= 32);
  for (int i = 0; i < 2; i++) {
#ifdef OTHER
    char *p = i ? malloc(n[i]) : malloc(n[i]);
#else
    char *p = malloc(n[i]);
#endif
    for (unsigned long k = 30; k < n[i]; k++)
      p[k] = 1;
    free(p);
  }
  return 0;
}

// RUN: --capacity 8
// RUN: --capacity 8 -DOTHER #other
// RUN: --capacity 8 --merge tree #merged
// STOPS[other !planes]: capacity
// EXACT[!other]: true
// PATHS[merged !planes]: 1
