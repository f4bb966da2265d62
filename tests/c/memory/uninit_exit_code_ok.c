/* Only the low byte of an exit code is seen, and only what is returned matters. */
#include <mneme.h>
#include <stdlib.h>

struct answer {
  unsigned char low;
  int code;
};

int main(void) {
  struct answer *a = malloc(sizeof *a);
  a->low = mneme_bool("b");
  int unused[4];
  struct answer copy = *a;
  int result = (copy.code & ~0xff) | copy.low;
  unused[0] = copy.code;
  free(a);
  return result;
}

// PATHS: 1
