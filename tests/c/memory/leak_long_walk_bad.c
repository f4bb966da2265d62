/* Whoever walks along a long list loses a node at every step, and need not follow the list from its head for each. */
#include <stdlib.h>

struct node {
  struct node *next;
  int n;
};

static struct node *push(struct node *next, int n) {
  struct node *node = malloc(sizeof *node);
  node->next = next;
  node->n = n;
  return node;
}

int main(void) {
  struct node *head = NULL, *last = NULL;
  for (int i = 0; i < 30000; i++)
    head = push(head, i);
  long sum = 0;
  for (struct node *node = head; node; last = node, node = node->next) {
    sum += node->n;
    node->n = 0;
  }
  if (sum != 449985000 || last->next)
    return 1;
  last = head->next->next;
  head->next = NULL; // FAULT: memory-leak
  head = NULL; // FAULT: memory-leak
  return last->n;
} // FAULT: memory-leak

// RUN: --check leaks
// MODELS: objects planes
// PATHS: 1
