/* Faults that depend on a number that stands for many paths: an index of it, inside its loop and after it. */
#include <klee/klee.h>

static int length(const char *s) {
  int n = 0;
  while (s[n])
    n++;
  return n;
}

int main(void) {
  char s[16], copy[12];
  int table[10] = {0};
  klee_make_symbolic(s, sizeof s, "s");
  s[15] = 0;
  int n = length(s);
#ifdef INSIDE
  for (int i = 0; i <= n; i++)
    copy[i] = s[i]; // FAULT[inside]: out-of-bounds-write
  return copy[0] != s[0];
#else
  klee_assume(n != 11);
  copy[0] = 0;
  return table[n]; // FAULT[!inside]: out-of-bounds-read
#endif
}

// RUN: --merge patterns
// RUN: --merge patterns --paranoid
// RUN: --merge patterns -DINSIDE #inside
// VALUES: 0
