/* What the programs of this folder read: a string, or bytes, of symbolic size up to CAPACITY. */
#include <klee/klee.h>
#include <stddef.h>
#include <stdlib.h>

#ifndef CAPACITY
#define CAPACITY 6
#endif

/* `CAPACITY` bytes at most, the terminator included. */
static inline char *text(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < CAPACITY);
  char *s = malloc(n + 1);
  klee_make_symbolic(s, n + 1, "s");
  s[n] = 0;
  return s;
}

/* `CAPACITY` bytes at most, without a terminator. */
static inline unsigned char *bytes(size_t *size) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= CAPACITY);
  unsigned char *s = malloc(n);
  klee_make_symbolic(s, n, "s");
  *size = n;
  return s;
}
