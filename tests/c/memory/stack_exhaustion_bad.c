/* Recursions that the stack has no room for: one without end, and one of 20,000 frames of 1 KiB. */
#include <mneme.h>

static int endless(int n) {
  volatile char frame[1024];
  frame[0] = (char)n;
  return endless(n + 1) + frame[0]; // FAULT: stack-exhaustion
}

static int nested(int n) {
  volatile char frame[1024];
  frame[0] = (char)n;
  return n <= 0 ? frame[0] : nested(n - 1) + frame[0]; // FAULT: stack-exhaustion
}

int main(void) {
  int n = mneme_int("n");
  if (n == 3 || n == 20000)
    return nested(n) & 1;
  return n == 4 ? endless(0) : 0;
}

// RUN:
// RUN: --m32
// RUN: --max-calls 1000 --max-stack 4000000000
// FAULTED: 2
// VALUES: 0*2
// EXACT: true
