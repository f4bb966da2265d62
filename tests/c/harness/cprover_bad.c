/* A harness for CBMC: inputs by nondet_*, a function that is no main, and functions that nobody declares. */
unsigned nondet_uint(void);
_Bool nondet_bool(void);

void harness(void) {
  unsigned x = nondet_uint(), y = nondet_uint();
  __CPROVER_assume(x < 10 && y < 10);
  if (nondet_bool())
    __CPROVER_assert(x + y < 18, "the sum is small"); // FAULT: assertion-failure
}

int main(void) { return 3; }

// RUN: --entry harness
// VALUES: 0*2
