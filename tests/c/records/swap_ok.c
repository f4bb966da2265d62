/* Two records of a table are swapped by symbolic indices. */
// RUN: -DN=5
// RUN: -DN=5 -DINDEX=size_t
// RUN: -DN=4 -m32
#include <mneme.h>
#include <stdlib.h>

#ifndef INDEX
#define INDEX unsigned
#endif

struct entry {
  char *name;
  int id;
  void *data;
};

int main(void) {
  struct entry *e = malloc(N * sizeof *e);
  for (int j = 0; j < N; j++) {
    e[j].name = malloc(4);
    e[j].name[0] = j;
    e[j].id = j;
    e[j].data = e[j].name;
  }
  INDEX i, j;
  mneme_symbolic(&i, sizeof i, "i");
  mneme_symbolic(&j, sizeof j, "j");
  mneme_assume(i < N && j < N);
  struct entry x = e[i];
  e[i] = e[j];
  e[j] = x;
  if (e[j].name[0] != i)
    return 1;
  if (e[i].data == e[j].data && i != j)
    return 2;
  free(e[i].name);
  return 0;
}

// VALUES: 0
// EXACT: true
