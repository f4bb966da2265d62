/* A branch, an index and a structure's field that was forgotten. */
#include <klee/klee.h>
#include <stdlib.h>

struct point {
  int x, y;
};

int main(void) {
  unsigned which;
  klee_make_symbolic(&which, sizeof which, "which");
  int table[4] = {1, 2, 3, 4};
  struct point *p = malloc(sizeof *p);
  p->x = 1;
  int r = 0;
  if (which == 0) {
    if (p->y > 0) // FAULT: uninitialized-read
      r = 1;
  } else if (which == 1) {
    unsigned index[2];
    index[0] = 0;
    r = table[index[1] & 3]; // FAULT: uninitialized-read
  } else {
    r = p->x;
  }
  free(p);
  return r;
}

// FAULTED: >= 2
