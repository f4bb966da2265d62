/* The heap checker is silent where all is in order: sizes and blocks that inputs choose, copies of structures with gaps, bytes
 * that the library writes, symbolic bytes. */
// RUN: --handler heap-check --concrete-handler heap-check
// MODELS: objects planes
#include <math.h>
#include <mneme.h>
#include <stdlib.h>
#include <string.h>

struct gap {
  char tag;
  long number;
};

int main(void) {
  unsigned n = mneme_uint("n"), which = mneme_uint("which");
  mneme_assume(n >= 2 && n < 50 && which < 2);
  char *sized = malloc(n);
  sized[n - 1] = 1;
  mneme_assert(sized[n - 1] == 1);

  char *blocks[2] = {malloc(4), malloc(4)};
  blocks[0][1] = blocks[1][1] = 7;
  free(blocks[which]);
  mneme_assert(blocks[1 - which][1] == 7);
  free(blocks[1 - which]);

  struct gap *one = malloc(sizeof *one), *two = malloc(sizeof *two);
  one->tag = 'a';
  one->number = 5;
  *two = *one;
  memcpy(one, two, sizeof *one);
  mneme_assert(two->number + one->number == 10);

  int *exponent = malloc(sizeof *exponent);
  mneme_assert(frexp(8.0, exponent) == 0.5 && *exponent == 4);

  char *input = malloc(2);
  mneme_symbolic(input, 2, "input");
  int same = 0;
  if (input[0] == input[1])
    same = 1;
  char *grown = malloc(3);
  grown[2] = 1;
  grown = realloc(grown, 60);
  mneme_assert(grown[2] == 1);
  return same;
}

// VALUES: 0 1
// EXACT: true
