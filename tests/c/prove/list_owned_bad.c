/* As list_owned_ok.c, but an owned block may own another, which nobody frees. */
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

// RUN: --prove --check leaks --max-time 3
// MODELS: objects
// EXACT: false
// STOPS: time
