/* Seed 001 (thesis) Fig 6.1: memspn over a symbolic buffer of CAPACITY bytes, symbolic n <= CAPACITY,
 * chars="ab". Expect: 0 errors, 3*2^CAPACITY-2 paths when forking (766 for CAPACITY=8), 2 merged states. */
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
  return memspn(s, n, "ab");
}

// RUN: --merge auto
// RUN: --merge auto -DCAPACITY=200 #far
// RUN: --merge patterns -DCAPACITY=200 #far
// MODELS[far]: objects
// PATHS[objects]: <= 766
// PATHS[far]: <= 2
// EXACT: true
// QUERIES[1 objects]: <= 35
