/* Paths that are the same but for numbers become one, whose conditions and values are terms in a number: places in a string,
   counters of several widths, sums, and what a loop has written. Values on no line are a choice. */
#include <klee/klee.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 12
#endif

static char *find(char *s, int c) {
  while (*s && *s != c)
    s++;
  return *s ? s : NULL;
}

struct seen {
  unsigned char count;
  short twice;
  long long squares;
  char *place;
};

static void count(struct seen *seen, const char *s, int c) {
  unsigned char i = 0;
  short twice = 7;
  long long squares = 0;
  while (i < SIZE && s[i] == c) {
    squares += 2 * i + 1;
    twice += 2;
    i++;
  }
  seen->count = i;
  seen->twice = twice;
  seen->squares = squares;
  seen->place = (char *)s + i;
}

int main(void) {
  char s[SIZE + 1];
  klee_make_symbolic(s, sizeof s, "s");
  s[SIZE] = 0;
#ifdef COUNT
  struct seen *seen = malloc(sizeof *seen);
  count(seen, s, 'x');
  int n = seen->count;
  klee_assert(seen->twice == 7 + 2 * n);
  klee_assert(seen->squares == n * n);
  klee_assert(seen->place == s + n);
  klee_assert(n == SIZE || *seen->place != 'x');
  klee_assert(n == 0 || s[n - 1] == 'x');
  free(seen);
#else
  char *colon = find(s, ':');
  if (!colon)
    return 1;
  klee_assert(*colon == ':');
  klee_assert(colon >= s && colon < s + SIZE);
  int before;
  klee_make_symbolic(&before, sizeof before, "before");
  if (before >= 0 && before < colon - s)
    klee_assert(s[before] && s[before] != ':');
  char *next = find(colon + 1, ':');
  if (next)
    klee_assert(*next == ':' && next > colon);
#endif
  return 0;
}

// RUN: --merge patterns
// RUN: --merge patterns -DCOUNT #count
// RUN: --merge patterns --merge-incremental off
// RUN: --merge patterns -DCOUNT --quantifier-procedure off #count
// RUN: --merge patterns -DSIZE=5 --paranoid
// RUN: --merge patterns -DCOUNT -DSIZE=5 --paranoid #count
// RUN: --merge auto
// PATHS[count objects]: <= 4
// PATHS[1 objects, 5 objects]: <= 8
// VALUES[!count]: 0 1
// VALUES[count]: 0
