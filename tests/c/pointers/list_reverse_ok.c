/* A linked list of symbolic length is reversed in place. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

int main(void) {
  unsigned n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= 4);
  struct node *list = NULL, *back = NULL;
  for (unsigned i = 0; i < n; i++) {
    struct node *x = malloc(sizeof *x);
    x->value = (int)i;
    x->next = list;
    list = x;
  }
  while (list) {
    struct node *next = list->next;
    list->next = back;
    back = list;
    list = next;
  }
  int expect = 0;
  while (back) {
    assert(back->value == expect++);
    struct node *next = back->next;
    free(back);
    back = next;
  }
  return expect;
}

// PATHS: 5
// VALUES: 0*1 1*1 2*1 3*1 4*1
// EXACT: true
