/* `qsort` reads all elements that the caller counts: too many are an error of the call, whatever compares them. */
#include <stdlib.h>

struct list {
  void **at;
  size_t count;
};

void sort(struct list l[static 1], int (*compare)(const void *, const void *)) {
  qsort(l->at, l->count, sizeof *l->at, compare); // FAULT: null-dereference, out-of-bounds-read, invalid-call
}

// RUN: --function sort --elements 2
// STOPS: a function of which nothing is known
// STOPS: the size of objects made on demand
// MODELS: objects
