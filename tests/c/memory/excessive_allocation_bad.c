/* A size from outside that nothing limits: reported on demand, and the path goes on. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  unsigned long n = mneme_ulong("n");
  char *p = malloc(n); // FAULT[asked]: excessive-allocation
  if (p != NULL && n > 3)
    p[3] = 1;
  free(p);
  mneme_assume(n < 100);
  char *q = calloc(n, 8);
  free(q);
  return 0;
}

// RUN: --capacity 64 #plain
// RUN: --capacity 64 --check allocations #asked
// MODELS: objects
// STOPS: capacity
// EXACT: false
// FAULTED: 0
