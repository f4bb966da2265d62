/* Seed 004 (Clang region model) section 4.3: one malloc block seen as char[] and as int[].
 * Expect: 0 errors; buf1[0] is the low byte of the int stored through buf2 (little endian), and the int is
 * rebuilt from four chars; both assertions hold; 1 path. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  int v;
  unsigned k;
  klee_make_symbolic(&v, sizeof v, "v");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume(k < 4);
  void *p = malloc(10);
  char *buf1 = p;
  buf1[0] = 'a';
  int *buf2 = p;
  buf2[0] = v;
  char c = buf1[0];
  assert(c == (char)(v & 0xff));
  assert(buf1[k] == (char)((unsigned)v >> (8 * k)));
  buf1[1] = 'b';
  assert(((unsigned)buf2[0] >> 8 & 0xff) == 'b');
  free(p);
  return 0;
}

// PATHS: 1
// VALUES: 0*1
// EXACT: true
// QUERIES[objects]: <= 7
