/* What a loop stores may depend on the iteration: cells wider than a byte, gaps between them, reads of other widths. */
#include <assert.h>
#include <klee/klee.h>

struct pair {
  int key;
  short weight;
  char tag;
};

int main(void) {
  struct pair a[12];
  unsigned n, k;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume(n <= 12);
  klee_assume(k < n);
  for (unsigned i = 0; i < 12; i++) {
    a[i].key = -1;
    a[i].weight = -1;
    a[i].tag = 'x';
  }
  for (unsigned i = 0; i < n; i++) {
    a[i].key = 3 * i + 1;
    a[i].weight = (short)i;
  }
  assert(a[k].key == 3 * (int)k + 1);
  assert(a[k].weight == (short)k);
  assert(a[k].tag == 'x');
  assert(((unsigned char *)&a[k].key)[0] == ((3 * k + 1) & 255));
  unsigned char *low = (unsigned char *)&a[2].weight;
  if (n > 2)
    assert(low[0] == 2 && low[1] == 0);
  else
    assert(low[0] == 255);
  return 0;
}

// RUN:
// RUN: --loops compact #compact
// MODELS[compact]: objects planes-naive
// PATHS[planes, compact]: <= 4
