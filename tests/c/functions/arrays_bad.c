/* A pointer to a structure refers to one or several, and so does one to an array: what is behind the first is explored where the
   function goes there, with pointers of its own. Lists have no more shapes for that (list_ok.c). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  const char *key;
  int value;
};

/* Only the third entry is a mistake. */
int sum(const struct entry *e, int n) {
  int s = 0;
  for (int i = 0; i < n && i < 3; i++) {
    if (i == 2 && e[i].value == 5) // FAULT[sum]: out-of-bounds-read
      abort();                     // FAULT[sum]: abort
    s ^= e[i].value;               // FAULT[sum]: null-dereference, out-of-bounds-read
  }
  return s;
}

/* The entries are there, as the source says; their keys may be null, each by itself. */
__attribute__((access(read_only, 1, 2))) int find(const struct entry *e, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (e[i].key && e[i].key[0] == 'a' && e[i].value == (int)i)
      return 10 + (int)i;
  return 1;
}

/* At an index that is not known. */
int at(const struct entry e[static 4], unsigned char i) {
  const char *key = e[i % 4].key;
  return key ? *key == 'z' : 2;
}

/* Rows of an array. */
int row(int a[static 2][3]) { return a[1][2] == 7; }

struct node {
  int value;
  struct node *next;
};

/* The second of two nodes in an array leads back to the first one, or elsewhere. */
int back(const struct node n[static 2]) {
  if (!n[1].next)
    return 1;
  if (n[1].next == n)
    return 2;
  return n[1].next->value == n->value ? 3 : 4;
}

// RUN: --function sum --max-path 20000 #sum
// RUN: --function find #find
// VALUES[find]: 1 10 11 12 13
// RUN: --function at #at
// PATHS[at]: 5
// RUN: --function row #row
// PATHS[row]: 1
// RUN: --function back #back
// PATHS[back]: 4
// EXACT[back, at, row]: true
// EXIT[find]: 3
// STOPS[sum, find]: the size of objects made on demand
// MODELS: objects planes
