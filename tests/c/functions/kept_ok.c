/* What a function stores in an object that it was given is not lost: its caller has the object. */
// RUN: --function keep --check leaks --aliases never
// RUN: --function give --check leaks --aliases never
#include <stdlib.h>

struct box {
  char *buffer;
};

void keep(struct box *box) {
  if (box)
    box->buffer = malloc(4);
}

int give(char **out) {
  if (!out)
    return -1;
  *out = malloc(8);
  return 0;
}

