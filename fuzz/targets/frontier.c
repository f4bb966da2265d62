/* Every kind of decision that a path can be led along: branches, a symbolic size, a value that has to be a number, bytes nobody wrote. */
#include <klee/klee.h>
#include <math.h>
#include <stdlib.h>

int main(void) {
  unsigned char in[4];
  unsigned n, maybe;
  klee_make_symbolic(in, sizeof in, "in");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 9);
  int sum = 0;
  for (int i = 0; i < 3; i++)
    if (in[i] & 1)
      sum++;
  if (in[3] == 7)
    maybe = 1;
  if (in[3] > 5 && maybe)
    sum += 16;
  char *p = malloc(n + 1);
  p[n & 15] = 1;
  if (in[3] & 1)
    sum += (int)floor(n * 0.5);
  return sum;
}
