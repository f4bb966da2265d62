/* Errors with blocks of which a loop has freed some: a block that is gone is read or freed, alone or by a second loop, and one that is not
 * there is freed. */
#include <mneme.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 4
#endif

int main(void) {
  char *rows[CAPACITY];
  unsigned n = mneme_uint("n"), from = mneme_uint("from"), to = mneme_uint("to"), k = mneme_uint("k"), what = mneme_uint("what");
  mneme_assume(n >= 1 && n <= CAPACITY && from <= 1 && to <= n && k < n);
  for (unsigned i = 0; i < n; i++)
    rows[i] = calloc(3, 1);
  for (unsigned i = from; i < to; i += 2)
    free(rows[i]);
  // Of these it has freed those with the parity of the first, up to the end.
  int freed = k >= from && k < to && (k - from) % 2 == 0;
  switch (what) {
  case 0:
    if (freed)
      return rows[k][0]; // FAULT: use-after-free
    return rows[k][0];
  case 1:
    if (freed)
      free(rows[k]); // FAULT: double-free
    else
      free(rows[k]);
    return 0;
  case 2:
    for (unsigned i = 0; i < n; i++)
      free(rows[i]); // FAULT: double-free
    return 1;
  case 3:
    for (unsigned i = 0; i < n; i++)
      free(rows[i] + 1); // FAULT: invalid-free
    return 2;
  case 4:
    if (freed)
      rows[k] = realloc(rows[k], 8); // FAULT: double-free
    return 3;
  default:
    return 4;
  }
}

// RUN: --loops compact
// RUN: --loops classic
// EXACT: true
