// Every kind of allocation keeps its symbolic size: one byte further is wrong for all of them.
#include <alloca.h>
#include <klee/klee.h>
#include <mneme.h>
#include <stdlib.h>
#include <string.h>

static char *make(int kind, size_t n) {
  switch (kind) {
  case 0:
    return malloc(n);
  case 1:
    return calloc(n, 1);
  case 2: {
    char *p = malloc(3);
    memcpy(p, "abc", 3);
    return realloc(p, n);
  }
  case 3: {
    char *p = malloc(n);
    memset(p, 'x', n);
    p = realloc(p, n + 2);
    for (size_t i = 0; i < n; i++)
      if (p[i] != 'x')
        abort();
    return realloc(p, n);
  }
  default:
    return mneme_symbolic_buffer(n, "buffer");
  }
}

int main(int argc, char **argv) {
  int kind = argv[1][0] - '0';
  size_t n, i;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume((n >= 1) & (n <= 4) & (i <= n));
  char vla[n], *p = kind == 5 ? alloca(n) : kind == 6 ? vla : make(kind, n);
  if (kind == 1 && i < n && p[i] != 0)
    abort();
  if (kind == 2 && i < n && i < 3 && p[i] != "abc"[i])
    abort();
  p[i] = 1; // FAULT: out-of-bounds-write
  return 0;
}

// RUN: -- 0
// RUN: -- 1
// RUN: -- 2
// RUN: -- 3
// RUN: -- 4
// RUN: -- 5
// RUN: -- 6
// RUN: --sizes eager -- 3
// RUN: --sizes eager -- 4
