/* A list of any length that is linked both ways: appended to, walked from both ends. */
#include <mneme.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next, *previous;
};

int main(void) {
  struct node *first = NULL, *last = NULL;
  while (mneme_bool("more")) {
    struct node *made = malloc(sizeof *made);
    made->value = 1;
    made->next = NULL;
    made->previous = last;
    if (last)
      last->next = made;
    else
      first = made;
    last = made;
  }
  for (struct node *p = last; p; p = p->previous)
    mneme_assert(p->value == 1);
  for (struct node *p = first; p; p = p->next)
    mneme_assert(!p->next || p->next->previous == p);
  while (first) {
    struct node *next = first->next;
    free(first);
    first = next;
  }
  return 0;
}

// RUN: --prove --check leaks
// MODELS: objects heaplets
