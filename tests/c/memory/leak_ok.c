/* Blocks that something still refers to are no leaks: through a global, inside another block, at an interior address, in a caller. */
#include <klee/klee.h>
#include <stdlib.h>

struct node {
  struct node *next;
  char *text;
};
static struct node *kept;

static char *fresh(void) {
  char *p = malloc(8);
  return p;
}

static struct node *node(struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->next = next;
  n->text = fresh() + 4;
  return n;
}

int main(void) {
  int more;
  klee_make_symbolic(&more, sizeof more, "more");
  kept = node(node(0));
  struct node *n = node(kept);
  if (more)
    kept = n;
  else {
    free(n->text - 4);
    free(n);
  }
  return 0;
}

// RUN: --check leaks
// PATHS: 2
