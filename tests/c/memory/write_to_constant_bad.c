/* A string literal and a constant global are written through casts. */
#include <klee/klee.h>

static const int limit = 10;

int main(void) {
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  char *text = (char *)"literal";
  int *number = (int *)&limit;
  if (which)
    text[0] = 'L'; // FAULT: write-to-constant
  else
    *number = 11; // FAULT: write-to-constant
  return 0;
}

// PATHS: 0
// FAULTED: 2
