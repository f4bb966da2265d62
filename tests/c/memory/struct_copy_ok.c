/* Structures by assignment, as argument and as result, small ones in registers and large ones in memory. */
#include <assert.h>
#include <klee/klee.h>

struct small {
  char c;
  short s;
};
struct large {
  int a[10];
  struct small inner;
};

static struct small swap(struct small x) {
  struct small y = {(char)x.s, x.c};
  return y;
}
static struct large bump(struct large x, int i) {
  x.a[i]++;
  x.inner = swap(x.inner);
  return x;
}

int main(void) {
  struct large x = {{0}, {1, 2}};
  unsigned char v;
  klee_make_symbolic(&v, sizeof v, "v");
  x.a[3] = v;
  struct large y = bump(x, 3);
  assert(x.a[3] == v);
  assert(y.a[3] == v + 1);
  assert(y.inner.c == 2);
  assert(y.inner.s == 1);
  struct large z[2] = {x, y};
  z[0] = z[1];
  assert(z[0].a[3] == v + 1);
  return 0;
}

// PATHS: 1
// EXACT: true
