/* Tagged values, one of which held a string before it held a number: a pointer whose low half was overwritten. `s[k]` is out of bounds for
 * every input that gets there, and what is left of the overwritten pointer is never used. */
// RUN:
// RUN: -m32
#include <mneme.h>
#include <stdlib.h>

enum { STR, NUM };

struct v {
  int tag;
  union {
    char *s;
    int n;
    short m;
  } u;
};

int main(void) {
  struct v t[4];
  char *a = malloc(4), *b = malloc(4);
  t[0].tag = STR;
  t[0].u.s = a;
  t[1].tag = NUM;
  t[1].u.n = 5;
  t[2].tag = STR;
  t[2].u.s = b;
  t[3].tag = STR;
  t[3].u.s = a;
  t[3].tag = NUM;
  t[3].u.m = 7;
  unsigned i = mneme_uint("i"), k = mneme_uint("k");
  mneme_assume(i < 4 && k >= 4 && k < 100);
  if (t[i].tag != STR)
    return 0;
  t[i].u.s[k] = 1; // FAULT: out-of-bounds-write
  return 1;
}

// VALUES: 0
// EXACT: true
