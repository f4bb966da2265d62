/* How many elements there are, where the source says so: `access` and `counted_by` hold for every caller. An array of unknown
   length at the end of a structure has any number of elements. */
#include <stddef.h>

struct plain {
  unsigned n;
  int all[];
};

struct counted {
  unsigned n;
  int all[] __attribute__((counted_by(n)));
};

typedef struct {
  unsigned char n;
  char text[] __attribute__((counted_by(n)));
} text;

int sum_plain(const struct plain *p) {
  int s = 0;
  for (unsigned i = 0; p && i < p->n; i++)
    s ^= p->all[i]; // FAULT[plain]: out-of-bounds-read
  return s;
}

int sum_counted(const struct counted *p) {
  int s = 0;
  for (unsigned i = 0; p && i < p->n; i++)
    s ^= p->all[i];
  return s;
}

int last(const text *t) { return t && t->n > 0 ? t->text[t->n - 1] : 0; }

/* One too many. */
int behind(const text *t) {
  return t ? t->text[t->n] : 0; // FAULT[behind]: out-of-bounds-read
}

__attribute__((access(read_only, 1, 2))) int sum(const int *p, size_t n) {
  int s = 0;
  for (size_t i = 0; i < n; i++)
    s ^= p[i];
  return s;
}

int unknown(const int *p, size_t n) {
  int s = 0;
  for (size_t i = 0; i < n; i++)
    s ^= p[i]; // FAULT[unknown]: null-dereference, out-of-bounds-read
  return s;
}

void fill(char *p, short n) __attribute__((access(write_only, 1, 2)));
void fill(char *p, short n) {
  for (int i = 0; i <= n; i++)
    p[i] = 1; // FAULT[fill]: null-dereference, out-of-bounds-write
}

// RUN: --function sum_plain --elements 4 #plain
// RUN: --function sum_counted --elements 4 #counted
// RUN: --function last --elements 4 #last
// RUN: --function behind --elements 4 #behind
// RUN: --function sum --elements 4 #sum
// RUN: --function unknown --elements 4 #unknown
// RUN: --function fill --elements 4 #fill
// EXIT[counted, last, sum]: 3
// STOPS: the size of objects made on demand
// MODELS: objects planes
