/* A table of records of 24 bytes (32 with PAD) with pointers into itself. */
// RUN: -DN=8
// RUN: -DN=8 -DPAD
// RUN: -DN=24 -DINDEX=size_t
// RUN: -DN=8 -m32
#include <mneme.h>
#include <stdlib.h>

#ifndef INDEX
#define INDEX unsigned
#endif

struct e {
  char *name;
  int id;
  struct e *next;
#ifdef PAD
  long pad;
#endif
};

int main(void) {
  struct e *t = malloc(N * sizeof *t);
  for (int j = 0; j < N; j++) {
    t[j].name = malloc(4);
    t[j].name[0] = j;
    t[j].id = 3 * j;
    t[j].next = j ? &t[j - 1] : 0;
  }
  INDEX i;
  mneme_symbolic(&i, sizeof i, "i");
  mneme_assume(i < N);
  struct e *p = &t[i];
  int n = 0;
  if (p->id > 20)
    n = 1;
  if (p->next && p->next->id == 9)
    n += 2;
  if (p->name[0] == 7)
    n += 4;
  /* Every number on a path of its own. */
  for (int c = 0; c < 7; c++)
    if (n == c)
      return c;
  return 7;
}

// VALUES[1, 2, 4]: 0 2 5
// VALUES[3]: 0 1 2 5
// EXACT: true
