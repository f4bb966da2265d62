/* A symbolic number that is the address of a function for some inputs and of none for others. */
#include <klee/klee.h>
#include <stdint.h>

static int one(int x) { return x + 1; }

int main(void) {
  unsigned char j;
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(j < 2);
  int (*f)(int) = (int (*)(int))((uintptr_t)one ^ (uintptr_t)(j * 3));
  return f(0); // FAULT: invalid-call
}

// PATHS: 1
// FAULTED: 1
