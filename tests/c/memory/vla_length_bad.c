/* A variable-length array needs a positive length: not 0, and not a negative one, which would be a huge one. */
#include <mneme.h>

static int of_bytes(int n) {
  char local[n]; // FAULT: invalid-array-size
  local[0] = 1;
  return local[0];
}

static int of_rows(short rows, unsigned columns) {
  int table[rows + 3][columns]; // FAULT: invalid-array-size
  table[0][0] = 2;
  return table[0][0];
}

int main(void) {
  int n = mneme_int("n");
  mneme_assume(n < 100);
  if (mneme_bool("bytes"))
    return of_bytes(n);
  mneme_assume(n >= -3 && n < 0);
  return of_rows((short)n, 2);
}

// RUN:
// RUN: --m32
// MODELS: objects planes
// FAULTED: 2
// VALUES: 1 2
// EXACT: true
