/* Seed 001 (thesis) Fig 3.1: TABLES hash tables of BUCKETS buckets with ENTRIES chained nodes each,
 * one lookup with a symbolic 32-bit key (djb2 over its four bytes, modulo BUCKETS; -DEASYHASH: k % BUCKETS).
 * Expect: 0 errors; forking per object: about two paths (key equal / not) per node of table 0 plus the NULL bucket;
 * with on-demand segments: hit, miss and NULL only (3 paths when no chain is longer than 1). */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef TABLES
#define TABLES 3
#endif
#ifndef BUCKETS
#define BUCKETS 300
#endif
#ifndef ENTRIES
#define ENTRIES 5
#endif

typedef struct node {
  unsigned long data;
  unsigned key;
  struct node *next;
} node;
typedef struct {
  node **buckets;
  size_t size;
} table;

static unsigned long hash(const unsigned *k) {
#ifdef EASYHASH
  return *k;
#else
  const unsigned char *b = (const unsigned char *)k;
  unsigned long h = 5381;
  for (int i = 0; i < 4; i++)
    h = h * 33 + b[i];
  return h;
#endif
}

static void table_init(table *t, size_t n) {
  t->buckets = calloc(n, sizeof(node *));
  t->size = n;
}

static node *table_lookup(table *t, unsigned k) {
  unsigned long h = hash(&k) % t->size;
  for (node *p = t->buckets[h]; p; p = p->next)
    if (p->key == k)
      return p;
  return NULL;
}

static void table_insert(table *t, unsigned k, int data) {
  if (table_lookup(t, k))
    return;
  unsigned long h = hash(&k) % t->size;
  node *p = calloc(1, sizeof *p);
  p->key = k;
  p->data = data;
  p->next = t->buckets[h];
  t->buckets[h] = p;
}

int main(void) {
  table tables[TABLES];
  for (unsigned i = 0; i < TABLES; i++) {
    table_init(&tables[i], BUCKETS);
    for (unsigned j = 0; j < ENTRIES; j++)
      table_insert(&tables[i], j, 7);
  }
  unsigned k;
  klee_make_symbolic(&k, sizeof k, "k");
  return table_lookup(&tables[0], k) != NULL;
}

// RUN:
// RUN: -DEASYHASH
// RUN: -DTABLES=1 -DBUCKETS=30
// PATHS[objects]: <= 11
// EXACT: true
// QUERIES[1 objects]: <= 50
// QUERIES[2 objects]: <= 50
// QUERIES[3 objects]: <= 34
