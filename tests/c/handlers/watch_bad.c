/* Every path that writes watched bytes is reported and goes on: at a constant place, at a symbolic one, through a pointer. */
// RUN: --watch state+4:4
// RUN: --watch state+16:4
// RUN: --watch all.inner.k[2] #member
// RUN: --watch all.flag+0:1 #bits
// RUN: --watch all.rows[1][2] #row
// MODELS: objects
#include <mneme.h>

static int state[8];

typedef struct {
  int first;
  struct {
    char name[8];
    int k[4];
  } inner;
  union {
    short rows[2][3];
    long whole;
  };
  unsigned none : 3, flag : 9;
} everything;

static everything all;
static everything *there = &all;

int main(void) {
  unsigned i = mneme_uint("i");
  mneme_assume(i < 3);
  state[0] = 1;
  if (i == 2)
    state[1] = 2; // FAULT[1]: handler-report
  else
    state[i] = 3; // FAULT[1]: handler-report
  there->inner.k[i] = 4; // FAULT[member]: handler-report
  there->inner.name[i] = 1;
  there->rows[i / 2][2] = 5; // FAULT[row]: handler-report
  there->flag = i; // FAULT[bits]: handler-report
  return state[1];
}

// VALUES[1]: 0 2 3
