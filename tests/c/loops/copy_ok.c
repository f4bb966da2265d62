/* A copy loop of symbolic length, forwards and backwards. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char from[8], to[8];
  int n, k;
  klee_make_symbolic(from, sizeof from, "from");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume((n >= 0) & (n <= 8));
  klee_assume((k >= 0) & (k < 8));
  for (int i = 0; i < 8; i++)
    to[i] = 255;
  for (int i = 0; i < n; i++)
    to[i] = from[i];
  assert(to[k] == (k < n ? from[k] : 255));
  for (int i = n - 1; i >= 0; i--)
    to[i] = from[i] ^ 1;
  assert(to[k] == (k < n ? from[k] ^ 1 : 255));
  unsigned char *p = to, *q = from;
  while (p != to + n)
    *p++ = *q++;
  assert(to[k] == (k < n ? from[k] : 255));
  return 0;
}

// RUN:
// RUN: --loops compact #compact
// MODELS[compact]: objects planes-naive
// PATHS[planes, compact]: <= 4
