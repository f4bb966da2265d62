/* Records of 12, 24 and 40 bytes in allocated memory, as in any symbol table. Every access is out of bounds, none is wild. */
// RUN: -DN=3
// RUN: -DN=5
// RUN: -DN=9
// RUN: -DN=5 -DWIDE
// RUN: -DN=5 -DINDEX=size_t
// RUN: -DN=5 -DINDEX=int
// RUN: -DN=5 -m32
// RUN: -DN=5 -DWIDE -m32
// RUN: -DN=5 -DINDEX=int -m32
#include <mneme.h>
#include <stdlib.h>

#ifndef INDEX
#define INDEX unsigned
#endif

struct entry {
  char *name;
  int id;
  void *data;
#ifdef WIDE
  void *more[2];
#endif
};

int main(void) {
  struct entry *e = malloc(N * sizeof *e);
  for (int j = 0; j < N; j++) {
    e[j].name = malloc(4);
    e[j].id = j;
    e[j].data = 0;
  }
  INDEX i;
  mneme_symbolic(&i, sizeof i, "i");
  mneme_assume(i >= 0 && i < N);
  char *name = e[i].name;
  unsigned k = mneme_uint("k");
  mneme_assume(k >= 5 && k < 100);
  name[k] = 1; // FAULT: out-of-bounds-write
  return 0;
}

// PATHS: 0
// EXACT: true
