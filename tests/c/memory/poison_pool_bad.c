/* A pool that hands out slots of one array and poisons the free ones: a slot is used after it was given back. */
#include <mneme.h>
#include <stddef.h>

enum { SLOTS = 4, SIZE = 32 };
static _Alignas(16) char pool[SLOTS * SIZE];
static char *unused[SLOTS];
static int count;

static void start(void) {
  for (int i = 0; i < SLOTS; i++)
    unused[count++] = pool + i * SIZE;
  mneme_poison(pool, sizeof pool);
}

static char *get(void) {
  char *slot = unused[--count];
  mneme_unpoison(slot, SIZE);
  return slot;
}

static void put(char *slot) {
  mneme_poison(slot, SIZE);
  unused[count++] = slot;
}

int main(void) {
  start();
  char *a = get(), *b = get();
  a[0] = 1;
  b[SIZE - 1] = 2;
  put(a);
  b[0] = 3;
  a[1] = 4; // FAULT: use-of-poisoned
  return 0;
}

// PATHS: 0
