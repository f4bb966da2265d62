/* Loops whose rounds depend on an input: nested, with a call inside, early exits, `continue`, an allocation in each round, and objects
   that live for a round. What is computed stays the same for every input. */
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

static int count(const char *s, char c) {
  int n = 0;
  for (int i = 0; s[i]; i++)
    if (s[i] == c)
      n++;
  return n;
}

static int find(const char *s, char c) {
  for (int i = 0; s[i]; i++) {
    if (s[i] == ' ')
      continue;
    if (s[i] == c)
      return i;
  }
  return -1;
}

int main(void) {
  unsigned n;
  char s[4];
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume(n <= 3);
  s[3] = 0;
  struct node *list = 0;
  int sum = 0, last = -1;
  for (unsigned i = 0; i < n; i++) {
    int square[2];
    square[0] = (int)i;
    square[1] = (int)(i * i);
    for (unsigned k = 0; k < i; k++)
      sum += square[k & 1];
    struct node *e = malloc(sizeof *e);
    e->value = (int)i;
    e->next = list;
    list = e;
    last = square[0];
  }
  klee_assert(last == (int)n - 1);
  klee_assert(sum == (n == 2 ? 1 : n == 3 ? 1 + 2 + 4 : 0));
  klee_assert(n == 0 ? !list : list->value == last);
  int found = find(s, 'x');
  klee_assert(found < 0 || s[found] == 'x');
  klee_assert((found < 0) == (count(s, 'x') == 0) || s[0] == ' ' || s[1] == ' ');
  int length = 0;
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
    length++;
  }
  klee_assert((unsigned)length == n);
  return 0;
}

// RUN: --merge none
// RUN: --merge loops
// RUN: --merge tree
// RUN: --merge tree --merge-states 3 #few
// RUN: --merge tree --merge-loops all --paranoid
// RUN: --merge tree --merge-loops sizes
// VALUES: 0
