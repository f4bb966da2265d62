// Accesses far beyond whatever size the object can have, and before it.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, sizeof n, "n");
  char *p = malloc(n), q[40];
  switch (n) {
  case 7:
    p[300] = 1; // FAULT: out-of-bounds-write
    break;
  case 8:
    return p[300]; // FAULT: out-of-bounds-read
  case 9:
    memset(p + 290, 1, 20); // FAULT: out-of-bounds-write
    break;
  case 10:
    memcpy(q, p + 300, 20); // FAULT: out-of-bounds-read
    break;
  case 11:
    return p[-1]; // FAULT: out-of-bounds-read
  case 12:
    memset(p, 0, 300); // FAULT: out-of-bounds-write
    break;
  case 13:
    p[-3] = 4; // FAULT: out-of-bounds-write
    break;
  case 14:
    memcpy(p + 250, q, 20); // FAULT: out-of-bounds-write
    break;
  }
  return 0;
}
