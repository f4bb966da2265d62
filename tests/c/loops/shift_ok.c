/* An iteration that reads what the one before has stored is executed as usual; one that reads ahead is not in its way. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int a[6] = {5, 4, 3, 2, 1, 0}, b[6] = {5, 4, 3, 2, 1, 0};
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 5);
  for (unsigned i = 0; i < n; i++)
    a[i + 1] = a[i];
  for (unsigned i = 0; i < n; i++)
    b[i] = b[i + 1];
  unsigned k;
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume(k < 6);
  assert(a[k] == (k <= n ? 5 : 5 - (int)k));
  assert(b[k] == (k < n ? 4 - (int)k : 5 - (int)k));
  return 0;
}

// EXACT: true
