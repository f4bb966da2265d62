/* Nested conditions that the compiler computes beforehand: the inner one is not looked at where it is unwritten. */
#include <mneme.h>
#include <stdio.h>

int main(void) {
  int x, seen = 0, known = mneme_bool("known");
  if (known)
    x = mneme_int("x");
  if (known) {
    if (x > 3)
      seen = 1;
  }
  printf("%d\n", seen);
  return seen;
}

// VALUES: 0 1
