/* Mneme's own interface: values, bounds and assertions. */
#include <mneme.h>

int main(void) {
  int x = mneme_between(-2, 2, "x");
  unsigned char y = mneme_uchar("y");
  mneme_assume(y != 0);
  mneme_assert((x >= -2) & (x <= 2));
  mneme_assert(x * x <= 4);
  if (x < 0)
    return 1;
  return y == 0 ? 2 : 0;
}

// PATHS: 2
// VALUES: 0*1 1*1
// EXACT: true
