/* The last node of the reversed list is freed and used again: only if there are two or more. */
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
  struct node *reversed = NULL;
  while (list) {
    struct node *next = list->next;
    list->next = reversed;
    reversed = list;
    list = next;
  }
  while (reversed && reversed->next) {
    free(reversed);
    reversed = reversed->next; // FAULT: use-after-free
  }
  free(reversed);
  return 0;
}

// RUN: --prove
// MODELS: objects heaplets
