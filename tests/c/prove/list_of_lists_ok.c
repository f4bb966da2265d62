/* A list of lists, both of any length: built, walked, freed. */
#include <mneme.h>
#include <stdlib.h>

struct inner {
  struct inner *next;
};

struct outer {
  struct inner *inner;
  struct outer *next;
};

int main(void) {
  struct outer *list = NULL;
  while (mneme_bool("more")) {
    struct outer *made = malloc(sizeof *made);
    made->inner = NULL;
    made->next = list;
    list = made;
    while (mneme_bool("and more")) {
      struct inner *inner = malloc(sizeof *inner);
      inner->next = made->inner;
      made->inner = inner;
    }
  }
  while (list) {
    struct outer *next = list->next;
    while (list->inner) {
      struct inner *rest = list->inner->next;
      free(list->inner);
      list->inner = rest;
    }
    free(list);
    list = next;
  }
  return 0;
}

// RUN: --prove --check leaks
// MODELS: objects heaplets
