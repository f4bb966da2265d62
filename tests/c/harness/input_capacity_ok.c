/* Inputs may be as long as `--capacity` says, whatever makes them. */
#include <mneme.h>
#include <stdlib.h>

#define LIMIT 70000

int main(void) {
  size_t n = mneme_size("n");
  mneme_assume(n > 0 && n < LIMIT);
#if KIND == 0
  char *a = mneme_symbolic_string(n, "a");
#elif KIND == 1
  char *a = mneme_symbolic_buffer(n, "a");
#else
  char *a = malloc(n);
  mneme_symbolic(a, n, "a");
#endif
  a[n - 1] = 1;
  return 0;
}

// RUN: -DKIND=0 --capacity 100000 #enough
// RUN: -DKIND=1 --capacity 100000 #enough
// RUN: -DKIND=2 --capacity 100000 #enough
// RUN: -DKIND=1 #cut
// PATHS: 1
// STOPS[cut]: capacity
