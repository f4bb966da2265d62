/* Seed 001 (thesis) Fig 5.1, first bug: own miniature of a SIP Via parser over a symbolic string whose
 * buffer has symbolic size 1..CAPACITY (last byte NUL).
 * Expect: out-of-bounds read inside find(), line 25, called from line 57; needs size >= 5 ("/x/ "), so
 * CAPACITY=4 finds nothing and CAPACITY=6 (default) finds it. -DEAGER forks on the size, -DFIXED uses size CAPACITY only. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 6
#endif

static size_t pick(size_t n) {
#ifdef EAGER
  for (size_t v = 1; v < CAPACITY; v++)
    if (n == v)
      return v;
  return CAPACITY;
#elif defined(FIXED)
  return CAPACITY;
#else
  return n;
#endif
}

static const char *find(const char *s, int c) {
  for (; *s; s++) /* BUG */ // FAULT[!safe]: out-of-bounds-read
    if (*s == c)
      return s;
  return NULL;
}
static size_t length(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}

static int via_parse(const char *value) {
  if (value == NULL)
    return -2;
  const char *version = find(value, '/');
  if (version == NULL)
    return -5;
  const char *protocol = find(version + 1, '/');
  if (protocol == NULL)
    return -5;
  if (protocol - version < 2)
    return -5;
  const char *host = find(protocol + 1, ' ');
  if (host == NULL)
    return -5;
  if (host == protocol + 1) {
    while (*host == ' ') {
      host++;
      if (length(host) == 1)
        return -5;
    }
    host = find(host + 1, ' '); /* SITE */
    if (host == NULL)
      return -5;
  }
  return 0;
}

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 1) & (n <= CAPACITY));
  n = pick(n);
  char *s = malloc(n);
  klee_make_symbolic(s, n, "s");
  s[n - 1] = 0;
  return via_parse(s);
}

// RUN: #lazy
// RUN: -DEAGER --loops classic
// RUN: -DFIXED
// RUN: -DFIXED -DCAPACITY=4 #safe
// RUN: -DEAGER -DCAPACITY=16 --loops classic
// PATHS[2 objects]: <= 84
// PATHS[3 objects]: <= 38
// PATHS[4 objects]: <= 13
// PATHS[5 objects]: <= 13466
// QUERIES[2 objects]: <= 63
// QUERIES[3 objects]: <= 21
// QUERIES[4 objects]: <= 11
// QUERIES[5 objects]: <= 548
