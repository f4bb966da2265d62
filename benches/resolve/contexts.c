/* Rows of two kinds in one table, made by one function; a pointer that is asked for again and again has only one kind. */
#include <klee/klee.h>
#include <stdlib.h>

#ifndef ROWS
#define ROWS 32
#endif
#ifndef ROUNDS
#define ROUNDS 8
#endif

static char *new_row(void) { return calloc(1, 1024); }
static char *new_left(void) { return new_row(); }
static char *new_right(void) { return new_row(); }

int main(void) {
  int sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    char *rows[ROWS];
    for (int i = 0; i < ROWS; i++) {
      rows[i] = i % 4 == 0 ? new_left() : new_right();
      rows[i][7] = (char)(i * 3 + round);
    }
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i < ROWS);
    klee_assume(i % 4 == 0);
    sum += rows[i][7];
  }
  return sum > 200;
}
