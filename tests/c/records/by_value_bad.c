/* A record that lies outside is passed by value: who calls copies it, and the error is there. */
// RUN:
// RUN: -m32
#include <mneme.h>
#include <stdlib.h>

struct rec {
  int *a, *b, *c;
};

static struct rec same(struct rec one) { return one; }

int main(void) {
  unsigned char y = mneme_uchar("y");
  mneme_assume(y <= 5);
  struct rec *t = calloc(5, sizeof *t);
  struct rec got;
  got = same(t[y]); // FAULT: out-of-bounds-read
  return got.a != 0;
}

// VALUES: 0
