/* A small hash table with deletion. Removing the first entry of a bucket frees it, but the bucket goes on pointing to it
 * when the entry has no successor. mneme finds three operations after which the stale entry is used: the key that was
 * removed is looked up again, or another key of the same bucket is. */
#include <klee/klee.h>
#include <stdlib.h>

#define BUCKETS 4

struct entry {
  unsigned char key, value;
  struct entry *next;
};
static struct entry *buckets[BUCKETS];

static struct entry *find(unsigned char key) {
  for (struct entry *e = buckets[key % BUCKETS]; e; e = e->next)
    if (e->key == key)
      return e;
  return NULL;
}

static void insert(unsigned char key, unsigned char value) {
  struct entry *e = find(key);
  if (!e) {
    e = malloc(sizeof *e);
    e->key = key;
    e->next = buckets[key % BUCKETS];
    buckets[key % BUCKETS] = e;
  }
  e->value = value;
}

static void erase(unsigned char key) {
  struct entry **link = &buckets[key % BUCKETS];
  while (*link && (*link)->key != key)
    link = &(*link)->next;
  struct entry *dead = *link;
  if (!dead)
    return;
  if (dead->next)
    *link = dead->next;
  free(dead);
}

int main(void) {
  unsigned char key[3];
  klee_make_symbolic(key, sizeof key, "key");
  insert(key[0], 1);
  erase(key[1]);
  return find(key[2]) != NULL;
}
