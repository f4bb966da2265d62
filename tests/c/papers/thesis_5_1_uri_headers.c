/* Seed 001 (thesis) Fig 5.1, second bug: own miniature of a SIP URI header parser, symbolic buffer size 1..CAPACITY.
 * Expect: out-of-bounds read inside find(), line 24, called from line 32, exactly when the buffer is 1 byte ("").
 * A concrete-size engine that picks any larger size misses it. -DEAGER / -DFIXED as in thesis_5_1_via_parse.c. */
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

static int uri_parse_headers(const char *headers) {
  const char *equal = find(headers, '=');
  const char *amp = find(headers + 1, '&'); /* SITE */
  if (equal == NULL)
    return -5;
  return amp != NULL && amp > equal;
}

int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 1) & (n <= CAPACITY));
  n = pick(n);
  char *s = malloc(n);
  klee_make_symbolic(s, n, "s");
  s[n - 1] = 0;
  return uri_parse_headers(s);
}

// RUN: #lazy
// RUN: -DEAGER
// RUN: -DFIXED #safe
// PATHS[2 objects]: <= 125
// PATHS[3 objects]: <= 55
// FAULTED[2]: 1
// QUERIES[2 objects]: <= 77
// QUERIES[3 objects]: <= 25
