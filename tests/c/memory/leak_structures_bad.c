/* A list, a ring and a block behind a lost block: the one whose last pointer is lost is reported, what it leads to is lost with it. */
#include <mneme.h>
#include <stdlib.h>

struct node {
  struct node *next;
  char *text;
};
static struct node *kept;

static struct node *node(struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->next = next;
  n->text = malloc(4);
  return n;
}

int main(void) {
  switch (mneme_int("which")) {
  case 0:
    kept = node(node(node(NULL)));
    kept = NULL; // FAULT: memory-leak
    break;
  case 1:
    kept = node(node(NULL));
    kept->next->next = kept;
    kept = NULL; // FAULT: memory-leak
    break;
  case 2:
    kept = node(NULL);
    free(kept); // FAULT: memory-leak
    break;
  }
  return 0;
}

// RUN: --check leaks
