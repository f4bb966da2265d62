/* memcmp is zero for equal bytes only, and its sign is that of the first difference. */
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
  unsigned char a[2], b[2];
  klee_make_symbolic(a, sizeof a, "a");
  klee_make_symbolic(b, sizeof b, "b");
  int r = memcmp(a, b, 2);
  unsigned x = a[0] << 8 | a[1], y = b[0] << 8 | b[1];
  assert((r == 0) == (x == y));
  assert((r < 0) == (x < y));
  return 0;
}

// EXACT: true
