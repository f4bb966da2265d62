/* Rounds that go several ways and then differ in nothing: the paths of each round become one, so that there are as many as rounds
   and not twice as many after each; and with 24 characters `count` is left by more paths than may wait, but they make room for
   each other. In `span` a path that looks at the second character of a set is a round behind the others. */
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 16
#endif

static int skip(const char *s, int n) {
  int i = 0;
  while (i < n && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n'))
    i++;
  return i;
}

static int span(const char *s, int n, const char *set) {
  const char *p = set;
  int count = 0;
  while (*p && count < n) {
    if (*p == s[count]) {
      count++;
      p = set;
    } else
      p++;
  }
  return count;
}

static int count(const char *s, int n, char c) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (s[i] == c)
      k++;
  return k;
}

int main(void) {
  char s[SIZE];
  int n, at;
  klee_make_symbolic(s, sizeof s, "s");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&at, sizeof at, "at");
  klee_assume((0 <= n) & (n <= SIZE));
  klee_assume((0 <= at) & (at < SIZE));
#ifdef COUNT
  int k = count(s, n, 'x');
  klee_assert(0 <= k && k <= n);
  klee_assert(k < n || at >= n || s[at] == 'x');
#elif defined(SPAN)
  int k = span(s, n, "ab");
  klee_assert(at != k || k == n || (s[at] != 'a' && s[at] != 'b'));
  klee_assert(at >= k || s[at] == 'a' || s[at] == 'b');
#else
  int k = skip(s, n);
  klee_assert(at != k || k == n || s[at] != ' ');
  klee_assert(at >= k || s[at] == ' ' || s[at] == '\t' || s[at] == '\n');
#endif
  return 0;
}

// RUN: --merge auto
// RUN: --merge auto -DSPAN
// RUN: --merge auto -DCOUNT -DSIZE=24
// RUN: --merge tree -DSIZE=4 --paranoid
// RUN: --merge tree -DSIZE=4 -DSPAN --paranoid
// RUN: --merge tree -DSIZE=4 -DCOUNT --paranoid
// PATHS[objects]: <= 10
// VALUES: 0
