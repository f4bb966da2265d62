/* A list of any length is reversed and freed. */
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
  while (reversed) {
    struct node *next = reversed->next;
    free(reversed);
    reversed = next;
  }
  return 0;
}

// RUN: --prove --check leaks
// RUN: --prove --check leaks --uninit any
// MODELS: objects heaplets
