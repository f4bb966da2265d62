/* A pointer copied byte by byte is the same pointer; so is one that goes through an integer. */
#include <assert.h>
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int v;
  klee_make_symbolic(&v, sizeof v, "v");
  int *p = malloc(sizeof *p), *q, *r;
  *p = v;
  for (size_t i = 0; i < sizeof p; i++)
    ((char *)&q)[i] = ((char *)&p)[i];
  memcpy(&r, &q, sizeof r);
  assert(*q == v);
  assert(r == p);
  uintptr_t bits = (uintptr_t)p;
  assert(*(int *)bits == v);
  free(q);
  return 0;
}

// PATHS: 1
// EXACT: true
