/* The twin: what was not freed is used and freed in the end, and nothing leaks. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *a = malloc(8), *b = malloc(8);
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  a[0] = 1;
  b[0] = 2;
  free(which ? a : b);
  char *rest = which ? b : a;
  int value = rest[0];
  klee_assert(value == (which ? 2 : 1));
  rest = realloc(rest, 32);
  rest[31] = 3;
  klee_assert(rest[0] == value);
  free(rest);
  return 0;
}

// RUN: --check leaks
// VALUES: 0
