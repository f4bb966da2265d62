/* A union's members are views of the same bytes, the lowest first. */
#include <assert.h>
#include <klee/klee.h>

union word {
  unsigned u;
  unsigned short h[2];
  unsigned char b[4];
};

int main(void) {
  union word w;
  klee_make_symbolic(&w, sizeof w, "w");
  assert(w.h[1] == w.u >> 16);
  assert(w.b[0] == (w.u & 0xff));
  unsigned before = w.u;
  unsigned char t = w.b[0];
  w.b[0] = w.b[3];
  w.b[3] = t;
  assert((w.u & 0x00ffff00) == (before & 0x00ffff00));
  assert(w.u >> 24 == (before & 0xff));
  return 0;
}

// PATHS: 1
// EXACT: true
