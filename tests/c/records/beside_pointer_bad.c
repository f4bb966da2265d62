/* A number beside a pointer is written at a symbolic index, a record is copied over another: the pointers stay what they are, in pieces of 8
 * bytes, too. */
// RUN: #plain
// RUN: -DI=y #plain
// RUN: -DCOPY #plain
// RUN: -DI=y -DCOPY #plain
// RUN: --split 8 --split-above 8
// RUN: --split 8 --split-above 8 -DI=y
// RUN: --split 8 --split-above 8 -DCOPY
// RUN: --split 8 --split-above 8 -DI=y -DCOPY
// RUN: -DI=y -DCOPY -m32 #plain
// RUN: --split 8 --split-above 8 -DI=y -DCOPY -m32
// MODELS[!plain]: objects
#include <mneme.h>
#include <stdlib.h>

#ifndef I
#define I 0
#endif

struct r {
  int v, a;
  char *p;
};

int main(void) {
  struct r *t = calloc(4, sizeof *t);
  for (int k = 0; k < 4; k++) {
    t[k].v = k;
    t[k].p = malloc(4);
  }
  int x = mneme_between(0, 3, "x"), y = mneme_between(0, 3, "y"), k = mneme_between(4, 90, "k");
  t[x].v = 7;
#ifdef COPY
  t[x] = t[y];
#endif
  t[I].p[k] = 1; // FAULT: out-of-bounds-write
  return 0;
}

// PATHS: 0
// EXACT: true
