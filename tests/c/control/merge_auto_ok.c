/* Which paths of a loop become one by themselves: all of them where what they count is only looked at, those that have counted as far
   where it is an index, the number of rounds of another loop, or an offset that memory holds as a pointer. Paths that have found
   nothing have nothing to differ in, those that have found something differ in where. */
#include <klee/klee.h>

static char table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static char *place;

static int count(const char *s, unsigned n, char c) {
  int k = 0;
  for (unsigned i = 0; i < n; i++)
    if (s[i] == c)
      k++;
  return k;
}

static const char *find(const char *s, unsigned n, char c) {
  for (unsigned i = 0; i < n; i++)
    if (s[i] == c)
      return s + i;
  return 0;
}

int main(void) {
  char s[4];
  unsigned n;
  klee_make_symbolic(s, sizeof s, "s");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 4);
  int k = count(s, n, 'x');
  klee_assert(0 <= k && k <= (int)n);
#ifdef INDEX
  klee_assert(table[k] == "31415"[k] - '0');
#elif defined(ROUNDS)
  int sum = 0;
  for (int i = 0; i < k; i++)
    sum += table[i];
  klee_assert(sum == "\0\3\4\10\11"[k]);
#elif defined(STORED)
  place = table + k;
  klee_assert(place - table == k);
#elif defined(FIND)
  const char *found = find(s, n, 'x');
  klee_assert(!found == (k == 0));
  klee_assert(!found || *found == 'x');
#endif
  return 0;
}

// RUN: --merge auto #looked
// RUN: --merge auto -DINDEX #apart
// RUN: --merge auto -DROUNDS #apart
// RUN: --merge auto -DSTORED #apart
// RUN: --merge auto -DFIND --paranoid #find
// RUN: --merge auto --merge-states 3 -DFIND
// RUN: --merge tree -DFIND
// PATHS[looked objects]: 1
// PATHS[apart objects]: 5
// PATHS[find objects]: 5
// VALUES: 0
