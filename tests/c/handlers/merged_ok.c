/* Paths that leave a loop are merged although handlers serve its accesses; so are those of a call. */
// RUN: --handler fork-objects --merge tree
// RUN: --handler range-check,ite:40 --merge tree
// RUN: --handler fork-objects --merge none --merge-at find #call
// RUN: --handler fork-objects --merge none #apart
// MODELS: objects planes
#include <mneme.h>

static const char table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

static unsigned find(unsigned from, char what) {
  unsigned k = 0;
  while (k < 4 && table[(from + k) % 8] != what)
    k++;
  return k;
}

int main(void) {
  unsigned from = mneme_uint("from");
  char what = mneme_char("what");
  mneme_assume(from < 8);
  unsigned k = find(from, what);
  mneme_assert(k == 4 || table[(from + k) % 8] == what);
  return 0;
}

// PATHS[!apart]: 2
// PATHS[apart]: >= 5
