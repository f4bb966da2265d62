/* A record is deleted from a table by memmove, then one is looked up. */
// RUN:
// RUN: -m32
#include <mneme.h>
#include <stdlib.h>
#include <string.h>

struct r {
  char key;
  unsigned char *name;
  short len;
};

int main(void) {
  struct r *t = malloc(5 * sizeof *t);
  for (int i = 0; i < 5; i++) {
    t[i].key = 2 * i;
    t[i].len = i + 1;
    t[i].name = malloc(i + 1);
    t[i].name[i] = i + 7;
  }
  int d = mneme_between(0, 4, "d"), k = mneme_between(0, 3, "k");
  free(t[d].name);
  memmove(t + d, t + d + 1, (4 - d) * sizeof *t);
  /* Record k is now the one that was k before, or the next. */
  int left = k < d ? k : k + 1;
  return t[k].name[t[k].len - 1] + t[k].key != 3 * left + 7;
}

// VALUES: 0
// EXACT: true
