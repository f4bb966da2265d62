/* Assumptions cut the inputs; what they leave is safe. */
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static void assume_abort_if_not(int cond) {
  if (!cond)
    exit(0);
}

int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
  assume_abort_if_not((x < 100) & (y < 100));
  if (x + y >= 200)
    reach_error();
  return 1;
}

// PATHS: 2
// VALUES: 0*1 1*1
// EXACT: true
