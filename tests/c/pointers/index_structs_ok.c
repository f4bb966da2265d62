/* Fields of different widths in an array of structures at symbolic indices. */
#include <assert.h>
#include <klee/klee.h>

struct record {
  char kind;
  short level;
  int values[3];
};

int main(void) {
  struct record r[4] = {{0}};
  unsigned i, j, k;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume((i < 4) & (j < 4) & (k < 3));
  r[i].level = 300;
  r[i].values[k] = 7;
  assert(r[i].kind == 0);
  assert(r[i].level == 300);
  assert((r[j].level == 300) == (i == j));
  assert(r[j].values[k] == (i == j ? 7 : 0));
  return 0;
}

// EXACT: true
