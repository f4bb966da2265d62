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
  switch (n) {
  case 0: return 0;
  case 1: return 1;
  case 2: return 2;
  case 3: return 3;
  case 4: return 4;
  case 5: return 5;
  case 6: return 6;
  default: return 7;
  }
}

// VALUES[1, 2, 4]: 0 2 5
// VALUES[3]: 0 1 2 5
// EXACT: true
