/* Differences and comparisons within one object, at symbolic offsets. */
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>

int main(void) {
  int a[10] = {0};
  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume((i <= 10) & (j <= 10));
  int *p = a + i, *q = &a[j];
  assert(p - q == (ptrdiff_t)i - (ptrdiff_t)j);
  assert((p < q) == (i < j));
  assert((p == q) == (i == j));
  assert((char *)p - (char *)a == (ptrdiff_t)(i * sizeof(int)));
  *(p - i) = 1;
  assert(*a == 1);
  return 0;
}

// PATHS: 1
// EXACT: true
