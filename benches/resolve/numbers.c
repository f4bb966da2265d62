/* A hash table whose buckets are numbers of nodes in a pool, looked up with a symbolic key: a large table of numbers, most of them -1. */
#include <mneme.h>
#ifndef BUCKETS
#define BUCKETS 3000
#endif
#ifndef ENTRIES
#define ENTRIES 200
#endif

struct node {
  unsigned key, value;
  int next;
};

static struct node pool[ENTRIES];
static int used, buckets[BUCKETS];

static unsigned hash(unsigned key) { return key % BUCKETS; }

static void insert(unsigned key, unsigned value) {
  struct node *node = &pool[used];
  node->key = key;
  node->value = value;
  node->next = buckets[hash(key)];
  buckets[hash(key)] = used++;
}

static int find(unsigned key) {
  for (int at = buckets[hash(key)]; at >= 0; at = pool[at].next)
    if (pool[at].key == key)
      return at;
  return -1;
}

int main(void) {
  for (unsigned i = 0; i < BUCKETS; i++)
    buckets[i] = -1;
  for (unsigned i = 0; i < ENTRIES; i++)
    insert(i * 7919, i);
  unsigned key = mneme_uint("key");
  mneme_assume(key < 1000000);
  int at = find(key);
  return at >= 0 && pool[at].value == 5;
}
