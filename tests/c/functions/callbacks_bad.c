/* Functions that a caller passes return anything, and change nothing: less than they may do, which is said. */
#include <stddef.h>
#include <stdlib.h>

int twice(int (*f)(int), int x) {
  if (!f)
    return 0;
  int one = f(x), other = f(x + 1);
  if (one == other)
    return 1;
  return 10 / (one - 3); // FAULT[twice]: division-by-zero
}

struct methods {
  void *(*make)(size_t);
  void (*drop)(void *);
};

int use(const struct methods m[static 1]) {
  if (!m->make || !m->drop)
    return 0;
  char *made = m->make(4);
  if (!made)
    return 1;
  m->drop(made);
  return 2;
}

// RUN: --function twice #twice
// EXIT[twice]: 1
// RUN: --function use #use
// VALUES[use]: 0 1 2
// EXACT: false
// MODELS: objects planes
