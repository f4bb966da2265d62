/* As many blocks as the inputs ask for, of the size that they ask for: the only bounds are those of the address space. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>
#ifndef MOST
#define MOST (1u << 28)
#define LARGEST 64
#endif

int main(void) {
  unsigned n = mneme_uint("n"), size = mneme_uint("size"), k = mneme_uint("k"), m = mneme_uint("m"), j = mneme_uint("j");
  mneme_assume(n < MOST && size <= LARGEST && k < n && m < n && j < size);
  char **rows = malloc(n * sizeof *rows);
  for (unsigned i = 0; i < n; i++)
    rows[i] = calloc(1, size);
  rows[k][j] = 42;
  assert((rows[m][j] == 42) == (k == m));
  return 0;
}

// RUN: #many
// RUN: -DMOST=1000 '-DLARGEST=(1u << 30)' #large
// MODELS: planes
// PATHS: 1
// EXACT: true
