/* An offset that leaves one of the blocks that a loop made is out of bounds, however far it goes: it never comes to another block. */
#include <mneme.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 4
#endif

int main(void) {
  char *rows[CAPACITY];
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), what = mneme_uint("what");
  long far = mneme_long("far");
  mneme_assume(n >= 2 && n <= CAPACITY && k < n - 1);
  for (unsigned i = 0; i < n; i++) {
    rows[i] = malloc(8);
    rows[i][7] = i;
  }
  char *p = rows[k], *last = rows[n - 1];
  switch (what) {
  case 0:
    return p[32]; // FAULT: out-of-bounds-read
  case 1:
    return p[-1]; // FAULT: out-of-bounds-read
  case 2:
    if (far < 0 || far >= 8)
      p[far] = 1; // FAULT: out-of-bounds-write
    return 0;
  case 3:
    p += 32;
    return p[-25] == 5 ? 1 : p[0]; // FAULT: out-of-bounds-read
  case 4:
    return last[32]; // FAULT: out-of-bounds-read
  case 5:
    return rows[n][0]; // FAULT: uninitialized-read, out-of-bounds-read
  default:
    return 0;
  }
}

// RUN:
// RUN: -DCAPACITY=1000 #many
// MODELS[many]: planes
// EXACT: true
