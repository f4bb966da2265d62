/* The old pointer is used after realloc, and the shrunk block where it no longer reaches. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  char *p = malloc(8);
  p[0] = 1;
  p[6] = 2;
  if (which) {
    char *q = realloc(p, 64);
    q[0] = 3;
    return p[0]; // FAULT: use-after-free
  }
  char *q = realloc(p, 4);
  return q[6]; // FAULT: out-of-bounds-read
}

// PATHS: 0
// FAULTED: 2
