/* SV-COMP asks whether reach_error is called, whatever a program's own does. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void abort(void);

void reach_error() { assert(0); }

void __VERIFIER_assert(int condition) {
  if (!condition) {
  ERROR:
    reach_error(); // FAULT: reach-error
    abort();
  }
}

int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assert(x != 42);
  return 0;
}

// PATHS: 1
// FAULTED: 1
