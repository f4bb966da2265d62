/* Merge sort, bottom up, of a list of any length (S. Tatham's): runs of 1, 2, 4 … nodes are merged until there is one. */
#include <mneme.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

static struct node *sort(struct node *list) {
  for (unsigned size = 1;; size *= 2) {
    struct node *p = list, *tail = NULL;
    unsigned merges = 0;
    list = NULL;
    while (p) {
      merges = merges ? 2 : 1;
      struct node *q = p;
      unsigned psize = 0, qsize = size;
      for (unsigned i = 0; i < size && q; i++) {
        psize++;
        q = q->next;
      }
      while (psize > 0 || (qsize > 0 && q)) {
        struct node *least;
        if (psize == 0 || (qsize > 0 && q && q->value < p->value)) {
          least = q;
          q = q->next;
          qsize--;
        } else {
          least = p;
          p = p->next;
          psize--;
        }
        if (tail)
          tail->next = least;
        else
          list = least;
        tail = least;
      }
      p = q;
    }
    if (tail)
      tail->next = NULL;
    if (merges <= 1)
      return list;
  }
}

int main(void) {
  struct node *list = NULL;
  while (mneme_bool("more")) {
    struct node *made = malloc(sizeof *made);
    made->value = mneme_int("value");
    made->next = list;
    list = made;
  }
  list = sort(list);
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return 0;
}

// RUN: --prove --check leaks
// MODELS: objects
// PENDING: a proof that takes less than a minute
