/* Uses of addresses with inputs that come out the same wherever the objects lie: all paths are explored. */
#include <assert.h>
#include <mneme.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct link {
  uintptr_t both;
  int value;
};

int main(void) {
  char *table[3];
  int numbers[16];
  for (int i = 0; i < 3; i++)
    table[i] = malloc(8);
  unsigned x = mneme_uint("x");
  mneme_assume(x < 3);
  /* Null and alignment. */
  assert(table[x] && (uintptr_t)table[x] != 0 && (uintptr_t)table[x] % 8 == 0);
  assert(((uintptr_t)(table[x] + x) & 7) == x);
  assert(((uintptr_t)(numbers + x) & 3) == 0);
  assert(table[x] != (char *)-1 && table[x] != (char *)1);
  /* The address of an element comes back. */
  uintptr_t bits = (uintptr_t)table[x];
  *(char *)bits = 'a';
  assert(*table[x] == 'a');
  /* Two pointers in one, and out again. */
  struct link *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  a->both = (uintptr_t)a ^ (uintptr_t)b;
  ((struct link *)(a->both ^ (uintptr_t)a))->value = 4;
  assert(b->value == 4);
  /* Output is no path. */
  printf("%p\n", (void *)a);
  return 0;
}

// PATHS: 1
// EXACT: true
