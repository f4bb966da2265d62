/* A list of so many nodes that whoever looks through all of it for each of them never comes to an end. */
#include <stdlib.h>

struct node {
  struct node *next;
  int n;
};

static struct node *head;

int main(void) {
  for (int i = 0; i < 40000; i++) {
    struct node *node = malloc(sizeof *node);
    node->n = i;
    node->next = head;
    head = node;
  }
#ifdef SOME
  for (int i = 0; i < 10000; i++) {
    struct node *first = head;
    head = first->next;
    free(first);
  }
#endif
  head = NULL; // FAULT: memory-leak
  return 0;
}

// RUN: --check leaks
// RUN: --check leaks -DSOME
// MODELS: objects planes
// PATHS: 1
