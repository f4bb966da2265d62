/* A pool allocator that cuts its objects out of one large array, beside objects of malloc: pointers to either are looked up with a
   symbolic key again and again. Who joins on demand first has to find out what a pointer may refer to, with the whole array in
   every question; who knows beforehand need not ask. */
#include <mneme.h>
#include <stdlib.h>
#ifndef ENTRIES
#define ENTRIES 24
#endif
#ifndef LOOKUPS
#define LOOKUPS 6
#endif

struct entry {
  unsigned key, hits;
};

static char pool[8192];
static unsigned used;

static void *pool_alloc(unsigned size) {
  void *p = pool + used;
  used += (size + 7) & ~7u;
  return p;
}

static struct entry *entries[32];

static unsigned hash(unsigned key) { return key * 2654435761u >> 9; }

int main(void) {
  for (unsigned i = 0; i < ENTRIES; i++) {
    entries[i] = i % 3 ? malloc(sizeof(struct entry)) : pool_alloc(sizeof(struct entry));
    entries[i]->key = i * 37 % 101;
    entries[i]->hits = 0;
  }
  unsigned found = 0;
  for (unsigned n = 0; n < LOOKUPS; n++) {
    struct entry *entry = entries[hash(mneme_uint("key")) % ENTRIES];
    entry->hits++;
    if (entry->key == n)
      found++;
  }
  return found == LOOKUPS;
}
