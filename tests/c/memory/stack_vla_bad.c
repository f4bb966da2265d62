/* Variable-length arrays and locals that may exceed the stack, by themselves or on top of what is taken. */
#include <mneme.h>

static int huge(void) {
  volatile char local[16 << 20]; // FAULT: stack-exhaustion
  local[0] = 1;
  return local[0];
}

static int array(unsigned n) {
  volatile int local[n + 1]; // FAULT: stack-exhaustion
  local[n] = 1;
  return local[n];
}

static int twice(unsigned n) {
  volatile char first[n];
  first[0] = 1;
  volatile char second[n]; // FAULT: stack-exhaustion
  second[0] = 2;
  return first[0] + second[0];
}

int main(void) {
  unsigned n = mneme_uint("n");
  switch (mneme_uint("which")) {
  case 0:
    return huge();
  case 1:
    mneme_assume(n < 64 || n >= 1u << 24);
    mneme_assume(n < 1u << 30);
    return array(n);
  case 2:
    return twice(5 << 20);
  }
  return 0;
}

// RUN:
// RUN: --m32
// FAULTED: 3
// VALUES: 0 1
// EXACT: true
