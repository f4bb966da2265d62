/* As in pointer_bytes_symbolic_ok.c, but the object is freed, and there is an element too many. */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static int *copy(int **p, unsigned j) {
  unsigned char copy[8];
  for (unsigned k = 0; k < 8; k++) copy[k ^ j] = ((unsigned char *)p)[k ^ j];
  int *q;
  memcpy(&q, copy, sizeof q);
  return q;
}

int main(void) {
  unsigned char j, i;
  klee_make_symbolic(&j, sizeof j, "j");
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(j < 8);
  klee_assume(i <= 4);

  int *p = calloc(4, sizeof *p);
  int *q = copy(&p, j);
  q[i] = 1; // FAULT: out-of-bounds-write
  free(q);
  return p[0]; // FAULT: use-after-free
}

// PATHS: 0
