/* Seed 002 (symMMU) Fig 12: numbers-and-dots address parser over a symbolic string of LEN characters.
 * Expect: assertion failure on line 65 for LEN >= 8: a fourth part that ends in a dot ("1.2.3.4.") leaves the loop with
 * i == 4 and is accepted. No memory error; 138 other paths at LEN=8 when forking (105 with -DDIGITS: only digits, dot, NUL). */
#include <assert.h>
#include <ctype.h>
#include <klee/klee.h>
#ifndef LEN
#define LEN 8
#endif

static int digit(int c) { return c >= '0' && c <= '9'; }

static unsigned long parse(const char *s, const char **end) {
  unsigned long v = 0;
  while (digit(*s))
    v = v * 10 + (unsigned long)(*s++ - '0');
  *end = s;
  return v;
}

static int aton(const char *s, unsigned char d[4]) {
  unsigned long a[16] = {0};
  const char *z;
  int i;
  for (i = 0; i < 4; i++) {
    a[i] = parse(s, &z);
    if (z == s || (*z && *z != '.') || !digit(*s))
      return -1;
    if (!*z)
      break;
    s = z + 1;
  }
  switch (i) {
  case 0:
    a[1] = a[0] & 0xffffff;
    a[0] >>= 24; /* fall through */
  case 1:
    a[2] = a[1] & 0xffff;
    a[1] >>= 16; /* fall through */
  case 2:
    a[3] = a[2] & 0xff;
    a[2] >>= 8;
  }
  for (i = 0; i < 4; i++) {
    if (a[i] > 255)
      return -1;
    d[i] = (unsigned char)a[i];
  }
  return 0;
}

int main(void) {
  char s[LEN + 1];
  unsigned char d[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[LEN] = 0;
#ifdef DIGITS
  for (int i = 0; i < LEN; i++)
    klee_assume(((s[i] >= '0') & (s[i] <= '9')) | (s[i] == '.') | (s[i] == 0));
#endif
  if (aton(s, d) == 0) {
    int dots = 0;
    for (int i = 0; s[i]; i++)
      dots += s[i] == '.';
    assert(dots <= 3); /* BUG */ // FAULT[!safe]: assertion-failure
  }
  return 0;
}

// RUN: -DLEN=5 #safe
// RUN:
// RUN: -DDIGITS
// PATHS[1 objects]: <= 28
// PATHS[2 objects]: <= 138
// PATHS[3 objects]: <= 105
// QUERIES[1 objects]: <= 98
// QUERIES[2 objects]: <= 303
// QUERIES[3 objects]: <= 318
