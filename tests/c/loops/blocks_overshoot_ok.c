/* Pointers into blocks that a loop made may go anywhere and come back: what is read lies in the block that they began in. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 4
#endif

int main(void) {
  int *rows[CAPACITY];
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), m = mneme_uint("m"), j = mneme_uint("j");
  mneme_assume(n >= 1 && n <= CAPACITY && k < n && m < n && j < 2);
  for (unsigned i = 0; i < n; i++) {
    rows[i] = malloc(2 * sizeof **rows);
    rows[i][0] = i;
    rows[i][1] = -(int)i;
  }
  assert(rows[k][j] == (j ? -(int)k : (int)k));
  rows[k][j] = 77;
  int *end = rows[m] + 2;
  assert(end[-2] == (k == m && j == 0 ? 77 : (int)m));
  assert(end[-1] == (k == m && j == 1 ? 77 : -(int)m));
  assert(end != rows[k]);
  int *either = j ? rows[k] : rows[m];
  either += 1;
  assert(*either == (j || k == m && 0 ? 77 : -(int)m));
  return 0;
}

// RUN:
// RUN: -DCAPACITY=1000 #many
// MODELS[many]: planes
// PATHS[many]: <= 4
// EXACT: true
