/* What the source says of its parameters holds for every caller: `nonnull`, and how many elements an array has at least. */
#include <stddef.h>

__attribute__((nonnull)) int first(const int *p) { return *p; }

int fourth(int a[static 4]) { return a[3]; }

struct pair {
  int a, b;
};

/* Two structures: the second is in bounds. */
int second(struct pair p[static 2]) { return p[1].b; }

/* The next element is there only where the array is larger. */
int fifth(int a[static 4]) {
  return a[4]; // FAULT[fifth]: out-of-bounds-read
}

/* Of the other parameter nothing is said. */
__attribute__((nonnull(1))) int both(const int *p, const int *q) {
  return *p + *q; // FAULT[both]: null-dereference
}

/* Nothing else refers to what such a pointer refers to. */
__attribute__((nonnull)) int apart(int *restrict a, int *restrict b) {
  *a = 1;
  *b = 2;
  return *a;
}

// RUN: --function first #first
// RUN: --function fourth #fourth
// RUN: --function second #second
// RUN: --function fifth #fifth
// RUN: --function both --aliases never #both
// RUN: --function apart #apart
// VALUES[apart]: 1
// PATHS[first]: 1
// PATHS[fourth, second]: 1
// EXIT[fifth, both]: 1
// STOPS[fifth]: the size of objects made on demand
// MODELS: objects planes
