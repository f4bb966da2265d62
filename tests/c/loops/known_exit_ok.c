/* A branch whose condition is known leaves the loop at once: on the path on which `leaves` is 1 there is no iteration that comes back to the
   header, although the bound of the loop is symbolic. */
#include <klee/klee.h>

static int run(int n, int leaves) {
  for (int i = 0; i < n; i++)
    if (0 < leaves) return 13;
  return 0;
}

int main(void) {
  int n, here = 0, *p = &here;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume((n >= 0) & (n <= 3));
  for (int k = 0; k < n; k++) {
    int there[2] = {k, 1};
    p = &there[1];
  }
  return run(n, p == &here);
}

// VALUES: 0
