/* CBMC's harnesses call `assert` without a header. */
int nondet_int();

int main(void) {
  int x = nondet_int();
  __CPROVER_assume(x > 3);
  assert(x > 2);
  assert(x != 7); // FAULT: assertion-failure
  return 0;
}

// PATHS: 1
// FAULTED: 1
