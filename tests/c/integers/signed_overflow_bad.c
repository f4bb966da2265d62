/* The middle of two large indices. */
#include <klee/klee.h>

int main(void) {
  int low, high;
  klee_make_symbolic(&low, sizeof low, "low");
  klee_make_symbolic(&high, sizeof high, "high");
  klee_assume((0 <= low) & (low <= high));
  int middle = (low + high) / 2; // FAULT: signed-overflow
  return middle < 0;
}

// RUN: --check overflow
// PATHS: 1
// FAULTED: 1
// VALUES: 0*1
