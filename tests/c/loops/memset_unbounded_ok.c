/* memset of a length that has no bound: an array of any size, of which any part is cleared (Trtík and Strejček, section 2.3). One path, and no
 * more work than for a small array. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  size_t size = mneme_size("size"), n = mneme_size("n"), k = mneme_size("k");
  mneme_assume(n <= size && k < size);
#ifdef CAPACITY
  mneme_assume(size <= CAPACITY);
#endif
  char *a = malloc(size);
  mneme_assume(a != NULL);
  memset(a, 'x', size);
  memset(a, 0, n);
  assert((a[k] == 0) == (k < n));
  return 0;
}

// RUN: #any
// RUN: -DCAPACITY=64
// RUN: -DCAPACITY=1048576
// MODELS: planes
// PATHS: 1
// QUERIES: <= 12
// EXACT: true
