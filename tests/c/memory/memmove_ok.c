/* Overlapping moves in both directions, with symbolic contents. */
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char in[8], a[8], b[8];
  klee_make_symbolic(in, sizeof in, "in");
  memcpy(a, in, sizeof a);
  memcpy(b, in, sizeof b);
  memmove(a + 2, a, 6);
  memmove(b, b + 2, 6);
  for (int i = 0; i < 6; i++) {
    assert(a[i + 2] == in[i]);
    assert(b[i] == in[i + 2]);
  }
  assert(a[0] == in[0] & a[1] == in[1]);
  memset(a + 1, 'x', 3);
  assert(a[0] == in[0] & a[3] == 'x' & a[4] == in[2]);
  return 0;
}

// PATHS: 1
// EXACT: true
