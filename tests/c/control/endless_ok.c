/* A path that ends in a loop without a body goes on for ever: it stops at once, and the others are explored. */
#include <mneme.h>

int main(void) {
  unsigned n = mneme_uint("n");
  if (n == 7)
    for (;;)
      ;
  return 0;
}

// PATHS: 1
// STOPS: never ends
