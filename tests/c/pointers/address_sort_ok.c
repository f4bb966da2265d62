/* The order of objects is the layout's: sorting pointers is one path. What is a coincidence at best is none: the low half of an address
 * is not zero. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  return x < y ? -1 : x > y;
}

int main(void) {
  static char byte;
  assert((unsigned)(uintptr_t)&byte != 0 && (unsigned)-(uintptr_t)&byte != 0);
  char *all[7];
  for (int i = 0; i < 7; i++)
    all[i] = malloc(4 + i);
  qsort(all, 7, sizeof *all, compare);
  for (int i = 0; i < 6; i++)
    assert(all[i] < all[i + 1]);
  for (int i = 0; i < 7; i++)
    free(all[i]);
  return 0;
}

// PATHS: 1
