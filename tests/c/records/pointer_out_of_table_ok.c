/* The same as pointer_out_of_table_bad.c, always inside: nothing to report, and exact. */
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
  mneme_assume(k < 4);
  name[k] = 1;
  return 0;
}

// PATHS: >= 1
// EXACT: true
