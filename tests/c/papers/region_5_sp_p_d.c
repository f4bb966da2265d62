/* Seed 004 (Clang region model) section 5: sp->p->d = v is seen through data.d.
 * Expect: 0 errors, assertion holds, 1 path (v symbolic). */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

struct s1 {
  int d;
};
struct s2 {
  struct s1 *p;
};

int main(void) {
  struct s1 data;
  int a[2], v;
  klee_make_symbolic(&v, sizeof v, "v");
  struct s2 *sp = malloc(sizeof *sp);
  sp->p = &data;
  sp->p->d = v;
  a[1] = data.d;
  assert(a[1] == v);
  free(sp);
  return 0;
}

// PATHS: 1
// VALUES: 0*1
// EXACT: true
// QUERIES[objects]: <= 0
