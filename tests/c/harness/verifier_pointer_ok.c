/* A pointer without a target may be null or not. */
#include <stdlib.h>
extern void *__VERIFIER_nondet_ptr();

int main(void) {
  if (__VERIFIER_nondet_ptr() == NULL)
    exit(1);
  return 2;
}

// PATHS: 2
// VALUES: 1*1 2*1
