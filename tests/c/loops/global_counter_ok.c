/* A counter in memory has a known value when the loop begins: what it stores at moving places seems to have a fixed one at first. */
#include <assert.h>
#include <klee/klee.h>

#ifndef CAPACITY
#define CAPACITY 12
#endif

int i;
int squares[CAPACITY];

unsigned used;
char *next;
char text[CAPACITY];

static void append(const char *from, unsigned n) {
  next = text;
  for (used = 0; used < n; used++)
    *next++ = *from++;
}

int main(void) {
  int n, k;
  char bytes[CAPACITY];
  int rest[CAPACITY];
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_make_symbolic(bytes, sizeof bytes, "bytes");
  klee_assume((n >= 0) & (n <= CAPACITY));
  klee_assume((k >= 0) & (k < CAPACITY));
  for (i = 0; i < n; i++)
    squares[i] = 3 * i;
  assert(i == n);
  // Downwards, over what the loop before has stored, and into what has no value yet.
  for (i = n; i > 0; i--) {
    squares[i - 1] += 1;
    rest[i - 1] = 0;
  }
  assert(i == 0);
  assert(squares[k] == (k < n ? 3 * k + 1 : 0));
  assert(k >= n || rest[k] == 0);
  append(bytes, n);
  assert(used == (unsigned)n && next == text + n);
  assert(k >= n || text[k] == bytes[k]);
  return 0;
}

// Paths are counted: none become one.
// RUN: --merge none
// RUN: --merge none --variables memory
// RUN: --merge none -DCAPACITY=1000 #many
// MODELS[many]: planes
// PATHS[planes]: 2
// EXACT: true
