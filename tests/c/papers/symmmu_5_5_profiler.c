/* Seed 002 (symMMU) section 5.5: N writes a[s[i]] = 1 with symbolic s[i] < N; then complete coverage of a is demanded.
 * Expect: 0 errors, 1 path; the test case is a permutation s of 0..N-1. The interest is solver effort against N
 * (the paper: queries linear in N, 338 s at 1024, timeout at 2048). */
#include <klee/klee.h>
#ifndef N
#define N 16
#endif

int main(void) {
  unsigned short s[N];
  char a[N];
  for (int i = 0; i < N; i++)
    a[i] = 0;
  klee_make_symbolic(s, sizeof s, "s");
  for (int i = 0; i < N; i++)
    klee_assume(s[i] < N);
  for (int i = 0; i < N; i++)
    a[s[i]] = 1;
  for (int i = 0; i < N; i++)
    klee_assume(a[i] == 1);
  return 0;
}

// RUN: -DN=8
// RUN: -DN=16
// RUN: -DN=32
// RUN: -DN=48 --max-time 120 --solver-timeout 120 #large
// MODELS[large]: objects
// PATHS: 1
// EXACT: true
// QUERIES[1 objects]: <= 24
// QUERIES[2 objects]: <= 48
// QUERIES[3 objects]: <= 96
// QUERIES[4 objects]: <= 192
