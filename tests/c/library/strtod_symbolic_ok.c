/* The digits of a floating-point number are fixed to one value each, and the run does not say that it explored all. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char text[2];
  klee_make_symbolic(text, sizeof text, "text");
  text[1] = 0;
  if (text[0] < '1' || text[0] > '9')
    return 1;
  double value = strtod(text, NULL);
  if (value < 1 || value > 9)
    return 2;
  return 0;
}

// EXACT: false
// PATHS: == 3
