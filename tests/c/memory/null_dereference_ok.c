/* The same search, its result checked. */
#include <klee/klee.h>
#include <stddef.h>

struct entry {
  int key, value;
};
static struct entry table[2] = {{1, 10}, {2, 20}};

static struct entry *find(int key) {
  for (int i = 0; i < 2; i++)
    if (table[i].key == key)
      return &table[i];
  return NULL;
}

int main(void) {
  int key;
  klee_make_symbolic(&key, sizeof key, "key");
  struct entry *e = find(key);
  return e ? e->value : 0;
}

// PATHS: 3
// VALUES: 0*1 10*1 20*1
// EXACT: true
