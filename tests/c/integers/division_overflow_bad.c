/* The least number divided by -1: the machine traps. */
#include <klee/klee.h>
#include <limits.h>

int main(void) {
  int a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_assume(b == -1);
  return a / b == INT_MIN; // FAULT: signed-overflow
}

// PATHS: 1
// FAULTED: 1
// VALUES: 0*1
