/* A byte is stored beside the pointer of a record of 12 bytes (16 with 64 bits); then the pointer is used, out of bounds for some inputs and wild
 * for none. */
// RUN:
// RUN: -m32
#include <mneme.h>
#include <stdlib.h>

struct rec {
  unsigned char *p;
  unsigned char tag[2];
  unsigned char more;
  unsigned short number;
};

int main(void) {
  unsigned char x = mneme_uchar("x");
  mneme_assume(x <= 3);
  signed char y = mneme_schar("y");
  mneme_assume(y >= -16 && y <= 15);
  struct rec *t = calloc(4, sizeof *t);
  for (int j = 0; j < 4; j++)
    t[j].p = calloc(1, 1);
  t[x].tag[0] = 6;
  unsigned char *p = t[x].p;
  return p[-y]; // FAULT: out-of-bounds-read
}

// VALUES: 0
// EXACT: true
