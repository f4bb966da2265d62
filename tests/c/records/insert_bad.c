/* A pointer is inserted into a table by memmove; another is used past its end, never elsewhere. */
#include <mneme.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *a[5];
  for (int i = 0; i < 3; i++)
    a[i] = malloc(2 + i);
  int at = mneme_between(0, 3, "at"), k = mneme_between(0, 2, "k"), o = mneme_between(0, 4, "o");
  memmove(a + at + 1, a + at, (3 - at) * sizeof *a);
  a[at] = malloc(3);
  a[k][o] = 1; // FAULT: out-of-bounds-write
  return 0;
}

// VALUES: 0
// EXACT: true
