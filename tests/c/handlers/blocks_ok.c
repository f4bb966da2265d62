/* Accesses inside memcpy, memset, va_start and output are served, too: a policy sees all of them. */
// RUN: --handler fork-objects
// MODELS: objects planes
#include <mneme.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static va_list lists[2];

static int second(unsigned which, ...) {
  va_start(lists[which], which);
  (void)va_arg(lists[which], int);
  int got = va_arg(lists[which], int);
  va_end(lists[which]);
  return got;
}

int main(void) {
  char a[16] = "one", b[16] = "two", c[16];
  struct pair {
    long x, y;
  } pairs[2] = {{1, 2}, {3, 4}}, pair;
  unsigned which = mneme_uint("which");
  mneme_assume(which < 2);
  char *p = which ? a : b;
  memcpy(c, p, sizeof c);
  mneme_assert(strcmp(c, which ? "one" : "two") == 0);
  memset(p, 'x', 3);
  mneme_assert(strcmp(p, "xxx") == 0);
  pair = pairs[which];
  mneme_assert(pair.x + 1 == pair.y && pair.x == 1 + 2 * which);
  mneme_assert(second(which, 5, 6) == 6);
  puts(p);
  return 0;
}

// PATHS: 2
