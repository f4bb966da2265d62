/* A write at one symbolic index and a read at another. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int a[6] = {10, 11, 12, 13, 14, 15}, v;
  unsigned i, j;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_make_symbolic(&v, sizeof v, "v");
  klee_assume((i < 6) & (j < 6));
  a[i] = v;
  if (i == j) {
    assert(a[j] == v);
    return 1;
  }
  assert(a[j] == (int)j + 10);
  return 0;
}

// PATHS: 2
// VALUES: 0*1 1*1
// EXACT: true
