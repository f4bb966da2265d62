/* A list node is freed and then asked for its successor. */
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  struct node *next;
};

static struct node *push(struct node *head) {
  struct node *n = malloc(sizeof *n);
  n->next = head;
  return n;
}

int main(void) {
  char order;
  klee_make_symbolic(&order, sizeof order, "order");
  struct node *list = push(push(NULL));
  while (list) {
    struct node *next = NULL;
    if (order)
      next = list->next;
    free(list);
    if (!order)
      next = list->next; // FAULT: use-after-free
    list = next;
  }
  return 0;
}

// PATHS: 1
// FAULTED: 1
