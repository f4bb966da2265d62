/* What a loop of symbolic length has not written is still unwritten. */
#include <klee/klee.h>

int main(void) {
  int a[8], last;
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 8);
  for (unsigned i = 0; i < n; i++) {
    a[i] = 1;
    last = 2;
  }
  if (n > 4)
    if (a[4] != 1)
      return 9;
  if (last == 2) // FAULT: uninitialized-read
    return 1;
  return 0;
}

// VALUES: 1
