/* A hash table of many buckets, a few of them in use, looked up with a symbolic key: one large object that is read at a symbolic
   offset. */
#include <mneme.h>
#include <stdlib.h>
#ifndef BUCKETS
#define BUCKETS 3000
#endif
#ifndef ENTRIES
#define ENTRIES 20
#endif

struct node {
  unsigned key, value;
  struct node *next;
};

static struct node *buckets[BUCKETS];

static unsigned hash(unsigned key) { return (key * 2654435761u >> 7) % BUCKETS; }

static void insert(unsigned key, unsigned value) {
  struct node *node = malloc(sizeof *node);
  node->key = key;
  node->value = value;
  node->next = buckets[hash(key)];
  buckets[hash(key)] = node;
}

static struct node *find(unsigned key) {
  for (struct node *node = buckets[hash(key)]; node; node = node->next)
    if (node->key == key)
      return node;
  return 0;
}

int main(void) {
  for (unsigned i = 0; i < ENTRIES; i++)
    insert(i * 7919, i);
  unsigned key = mneme_uint("key");
  mneme_assume(key < 1000000);
  struct node *node = find(key);
  return node && node->value == 5;
}
