/* Seed 002 (symMMU) Fig 11 in miniature: a name length comes from an input header, the name buffer is allocated with it
 * (never less than one byte, as xmalloc does), filled from input, and its first byte decides on a prefix.
 * Expect: uninitialised read on line 29 when namesize == 0. With namesize kept symbolic (0..CAPACITY): CAPACITY+1
 * sizes or one merged state; an engine that concretises the allocation looks at one size only. */
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 8
#endif

struct header {
  unsigned short magic, mode, namesize;
};
struct file {
  size_t namesize;
  char *name;
};

static char tape[CAPACITY];

static void *xmalloc(size_t n) { return malloc(n ? n : 1); }

static void tape_read(char *to, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] = tape[i];
}

static size_t prefix_len(const char *name) {
  return name[0] == '/' ? 1 : 0; /* BUG */ // FAULT: uninitialized-read
}

static size_t safer_suffix(const char *name) { return prefix_len(name); }

int main(void) {
  struct header h;
  struct file f;
  klee_make_symbolic(&h, sizeof h, "header");
  klee_make_symbolic(tape, sizeof tape, "tape");
  klee_assume(h.namesize <= CAPACITY);
  f.namesize = h.namesize;
  f.name = xmalloc(f.namesize);
  tape_read(f.name, f.namesize);
  return (int)safer_suffix(f.name);
}

