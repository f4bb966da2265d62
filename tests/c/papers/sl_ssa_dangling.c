/* Seed 003 (separation-logic slides), SSA-index example: p keeps the address of a loop-local of an earlier iteration.
 * Expect: invalid write (dangling pointer to a dead local) on line 13; needs variable lifetimes
 * (clang -O1 -Xclang -disable-llvm-passes emits llvm.lifetime markers; plain -O0 gives no trace of the scope). */
#include <klee/klee.h>

int main(void) {
  char *p = 0;
  for (char i = 0; i < 2; i++) {
    char x = 0;
    if (i == 0)
      p = &x;
    else
      *p = 1; /* BUG */ // FAULT: use-after-scope
  }
  return 0;
}

// PATHS: 0
// FAULTED: 1
// QUERIES[objects]: <= 0
