/* Paths that differ in a floating-point number, or in an integer that becomes one, stay apart: arithmetic on several of them at once
   would be done for one alone, and lose the others. */
#include <assert.h>
#include <klee/klee.h>

static int sum(int n) {
  double x = 0;
  for (int i = 0; i < n; i++)
    x += 0.5;
  if (x > 2.0) assert(n == 4); // FAULT: assertion-failure
  return x == 1.5;
}

/* An integer first. */
static int convert(const char *s) {
  int count = 0;
  while (s[count] == 'z')
    count++;
  double half = count / 2.0;
  return half == 1.5 ? 4 : 0;
}

int main(void) {
  int n;
  char s[4];
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume((n >= 0) & (n <= 5));
  s[3] = 0;
  if (n > 0) return sum(n);
  return convert(s);
}

// RUN:
// RUN: --merge auto
// VALUES: 0 1 4
