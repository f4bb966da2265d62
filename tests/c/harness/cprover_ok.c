/* The twin of cprover_bad.c, whose assertion is true. */
unsigned nondet_uint(void);

void harness(void) {
  unsigned x = nondet_uint(), y = nondet_uint();
  __CPROVER_assume(x < 10 && y < 10);
  __CPROVER_assert(x + y < 19, "the sum is small");
}

// RUN: --entry harness
// VALUES: 0
