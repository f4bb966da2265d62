/* Buffers that count what is in them: the counter lives in the same object as what is stored, and is not touched by that. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

#ifndef CAPACITY
#define CAPACITY 12
#endif

struct buffer {
  unsigned used;
  char *next;
  char text[CAPACITY];
  unsigned sum;
};

static struct buffer global;

static void append(struct buffer *to, const char *from, unsigned n) {
  to->next = to->text;
  for (to->used = 0; to->used < n; to->used++) {
    *to->next++ = *from++;
    to->sum += 2;
  }
}

static void fill(struct buffer *to, unsigned n) {
  to->used = 0;
  while (to->used < n)
    to->text[to->used++] = 'x';
}

int main(void) {
  unsigned n, k;
  char bytes[CAPACITY];
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_make_symbolic(bytes, sizeof bytes, "bytes");
  klee_assume((n <= CAPACITY) & (k < CAPACITY));
  append(&global, bytes, n);
  assert(global.used == n && global.next == global.text + n && global.sum == 2 * n);
  assert(global.text[k] == (k < n ? bytes[k] : 0));
  struct buffer *own = calloc(1, sizeof *own);
  fill(own, n);
  assert(own->used == n && own->text[k] == (k < n ? 'x' : 0));
  return 0;
}

// Paths are counted: none become one.
// RUN: --merge none
// RUN: --merge none -DCAPACITY=1000 #many
// MODELS[many]: planes
// PATHS[planes]: 2
// EXACT: true
