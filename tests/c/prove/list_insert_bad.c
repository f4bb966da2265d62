/* A list of any length, built sorted by insertion, but a search goes one too far. */
#include <mneme.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

static struct node *insert(struct node *list, int value) {
  struct node *made = malloc(sizeof *made);
  made->value = value;
  if (!list || list->value >= value) {
    made->next = list;
    return made;
  }
  struct node *before = list;
  while (before->next->value < value) // FAULT: null-dereference
    before = before->next;
  made->next = before->next;
  before->next = made;
  return list;
}

int main(void) {
  struct node *list = NULL;
  while (mneme_bool("more"))
    list = insert(list, mneme_int("value"));
  int wanted = mneme_int("wanted"), found = 0;
  for (struct node *p = list; p; p = p->next)
    found |= p->value == wanted;
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return found;
}

// RUN: --prove --check leaks
// MODELS: objects heaplets
