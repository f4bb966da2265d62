/* Seed 004 (Clang region model) section 6: the same field tested through two names guards a pointer.
 * Expect: 0 errors (no NULL dereference on line 16), 2 paths. */
#include <klee/klee.h>

struct s {
  int data[2];
};

static int f(struct s *buf) {
  int i = 3, *q = 0;
  struct s *p;
  if (buf->data[1] == 1)
    q = &i;
  p = buf;
  if (p->data[1] == 1)
    p->data[0] = *q; /* DEREF */
  return p->data[0];
}

int main(void) {
  struct s buf;
  klee_make_symbolic(&buf, sizeof buf, "buf");
  return f(&buf) == 3;
}

// PATHS: 2
// EXACT: true
// QUERIES[objects]: <= 2
