/* Nodes with a given value are deleted from a list of any length; nothing is lost. */
#include <mneme.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *list = NULL;
  while (mneme_bool("more")) {
    struct node *made = malloc(sizeof *made);
    made->value = mneme_int("value");
    made->next = list;
    list = made;
  }
  int wanted = mneme_int("wanted");
  struct node **link = &list;
  while (*link) {
    struct node *node = *link;
    if (node->value == wanted) {
      *link = node->next;
      free(node);
    } else {
      link = &node->next;
    }
  }
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return 0;
}

// RUN: --prove --check leaks
// MODELS: objects heaplets
