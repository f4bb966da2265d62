/* A loop that frees a merged list: which node `list` is, or that it is null, depends on the input, and what an iteration does is a
   question about the addresses of the nodes. */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
};

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  struct node *list = 0;
  for (int k = 0; k < (int)strlen(s); k++) {
    struct node *node = malloc(sizeof *node);
    node->next = list;
    list = node;
    if (k > 2) break;
  }
  while (list) {
    struct node *node = list;
    free(node);
    list = node->next; // FAULT: use-after-free
  }
  return 0;
}

// RUN: --merge tree --paranoid
