/* Seed 001 (thesis) Fig 6.1: memspn over a symbolic buffer of CAPACITY bytes, symbolic n <= CAPACITY,
 * two chained calls, "a" then "b" on the rest. Expect: 0 errors, (CAPACITY+1)^2 paths when forking (81 for CAPACITY=8),
 * a constant number (at most 4) of merged states with quantified encoding. */
#include <klee/klee.h>
#include <stddef.h>
#ifndef CAPACITY
#define CAPACITY 8
#endif

static int memspn(const char *s, size_t n, const char *chars) {
  const char *p = chars;
  size_t count = 0;
  while (*p && count < n) {
    if (*p == s[count]) {
      count++;
      p = chars;
    } else
      p++;
  }
  return (int)count;
}

int main(void) {
  char s[CAPACITY];
  size_t n;
  klee_make_symbolic(s, sizeof s, "s");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= CAPACITY);
  size_t c = memspn(s, n, "a");
  return c + memspn(s + c, n - c, "b");
}

// RUN: --merge auto
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=64 #far
// RUN: --merge patterns -DCAPACITY=5 --paranoid #patterns
// MODELS[patterns, far]: objects
// PATHS[objects]: <= 81
// PATHS[patterns, far]: <= 4
// EXACT: true
// QUERIES[1 objects]: <= 71
