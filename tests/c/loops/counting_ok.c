/* Loops that only count: steps of several sizes in both directions, signed and unsigned, at the head and at the end. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned n;
  int m;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&m, sizeof m, "m");
  klee_assume(n <= 20);
  klee_assume((m >= -6) & (m <= 6));
  unsigned i, sum = 0;
  for (i = 0; i < n; i += 3)
    sum += 2;
  assert(i >= n && i < n + 3);
  assert(sum == 2 * ((n + 2) / 3));
  unsigned left = n, rounds = 0;
  while (left > 4) {
    left -= 5;
    rounds++;
  }
  assert(left == n % 5 && rounds == n / 5);
  int down = m, steps = 0;
  do {
    down -= 2;
    steps++;
  } while (down > -7);
  assert(down <= -7 && down > -10 + (m == -6));
  assert(down == m - 2 * steps);
  int up;
  for (up = m; up != 7; up++)
    ;
  assert(up == 7);
  long last = -1;
  for (int j = 0; j <= m; j++)
    last = 10L * j;
  assert(last == (m >= 0 ? 10L * m : -1));
  return 0;
}

// PATHS[planes]: <= 8
