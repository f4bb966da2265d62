/* An inner loop of symbolic length in an outer one: the inner one is summarised in each round of the outer one. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  char a[3][5];
  unsigned n, row, column;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&row, sizeof row, "row");
  klee_make_symbolic(&column, sizeof column, "column");
  klee_assume(n <= 5);
  klee_assume((row < 3) & (column < 5));
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 5; j++)
      a[i][j] = -1;
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < n; j++)
      a[i][j] = (char)(10 * i + j);
  assert(a[row][column] == (column < n ? (char)(10 * row + column) : -1));
  return 0;
}

// PATHS[planes]: <= 2
