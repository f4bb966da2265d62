/* As list_owned_ok.c, but of two owned blocks in a row one may own another, which nobody frees. */
#include <mneme.h>
#include <stdlib.h>

struct node {
  struct node *next;
  struct node *owned;
};

int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 3 && mneme_bool("more"); i++) {
    struct node *made = malloc(sizeof *made);
    made->next = list;
    made->owned = NULL;
    if (mneme_bool("owns")) {
      made->owned = malloc(sizeof *made);
      made->owned->next = NULL;
      made->owned->owned = list && list->owned ? malloc(sizeof *made) : NULL;
      if (made->owned->owned)
        made->owned->owned->owned = NULL;
    }
    list = made;
  }
  while (list) {
    struct node *next = list->next;
    free(list->owned); // FAULT: memory-leak
    free(list);
    list = next;
  }
  return 0;
}

// RUN: --prove --check leaks
// MODELS: objects heaplets
