/* Whether an object is alive depends on inputs where paths were merged; a policy asks that, too. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  unsigned n = mneme_uint("n");
  mneme_assume(n <= 3);
  char **all = calloc(1, sizeof *all);
  unsigned used = 0, room = 1;
  for (unsigned j = 0; j < n; j++) {
    if (used == room) {
      room *= 2;
      all = realloc(all, room * sizeof *all);
    }
    all[used] = calloc(1 + j, 1);
    all[used++][j] = 5;
  }
  return used > 0 ? all[used - 1][used - 1] : 0;
}

// RUN: --handler ite --merge tree #ite
// RUN: --handler constant,fork-address --merge tree
// RUN: --handler fork-objects --merge tree
// VALUES[ite]: 0 5
// EXACT: true
