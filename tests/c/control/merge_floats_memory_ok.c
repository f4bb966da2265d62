/* Paths that differ in a floating-point number in memory may become one, and are told apart again where it is computed with: no number is
   lost. The same goes for the entries of a table. */
#include <klee/klee.h>

static const double table[4] = {0.5, 1.5, 2.5, 0.5};

struct reading {
  double value;
  int count;
};

static int read_all(const char *s, struct reading *r) {
  for (int i = 0; s[i]; i++)
    if (s[i] == 'y') r->value = i * 1.5;
  if (r->value == 0) return 0;
  return r->value > 2.0 ? 2 : 1;
}

int main(void) {
  char s[4];
  unsigned i;
  struct reading r = {0, 0};
  klee_make_symbolic(s, sizeof s, "s");
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 4);
  s[3] = 0;
  if (s[0] == 't') {
    if (table[i] * 2 == 3) return 3;
    return table[i] < 1 ? 4 : 5;
  }
  return read_all(s, &r);
}

// RUN:
// RUN: --merge auto
// RUN: --merge tree --paranoid
// RUN: --merge loops
// VALUES: 0 1 2 3 4 5
