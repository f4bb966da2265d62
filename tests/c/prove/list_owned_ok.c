/* A list of any length; each node may own one more block of the same type, which is never the beginning of a list. */
#include <assert.h>
#include <mneme.h>
#include <stdlib.h>

struct node {
  struct node *next;
  struct node *owned;
};

int main(void) {
  struct node *list = NULL;
  while (mneme_bool("more")) {
    struct node *made = malloc(sizeof *made);
    made->next = list;
    made->owned = NULL;
    if (mneme_bool("owns")) {
      made->owned = malloc(sizeof *made);
      made->owned->next = NULL;
      made->owned->owned = NULL;
    }
    list = made;
  }
  for (struct node *node = list; node; node = node->next) {
    int count = 0;
    for (struct node *owned = node->owned; owned; owned = owned->owned)
      count++;
    assert(count <= 1);
  }
  while (list) {
    struct node *next = list->next;
    free(list->owned);
    free(list);
    list = next;
  }
  return 0;
}

// RUN: --prove --check leaks
// MODELS: objects heaplets
