/* A search that may fail, whose result is used unchecked. */
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
  return find(key)->value; // FAULT: null-dereference
}

// PATHS: 2
// FAULTED: 1
// VALUES: 10*1 20*1
