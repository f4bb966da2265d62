/* Loops that store over their own variable: in some iteration, or in the only one, which is left before it comes to the variable. */
#include <assert.h>
#include <klee/klee.h>

static int words[4];

static void set(unsigned from, unsigned n) {
  words[3] = 0;
  for (unsigned i = from; i < 4; i++) {
    words[i] = 7;
    if (i + 1 >= n)
      break;
    words[3] += 1;
  }
}

int main(void) {
  unsigned n, k;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume((n >= 1) & (n <= 5));
  klee_assume(k <= 4);
  if (n <= k + 1) {
    set(k, n);
    assert(words[3] == (k == 3 ? 7 : 0));
    return 0;
  }
  set(k, n);
  assert(n != 3 || k != 0 || words[3] == 2);
  assert(words[3] != 7); // FAULT: assertion-failure
  return 0;
}

// EXACT: true
