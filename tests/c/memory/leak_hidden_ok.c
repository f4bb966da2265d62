/* A list whose links are two addresses combined by `^`: an address that the program has looked at may come back. */
#include <stdint.h>
#include <stdlib.h>

struct node {
  uintptr_t links;
};

int main(void) {
  struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
  a->links = (uintptr_t)b;
  b->links = (uintptr_t)a ^ (uintptr_t)c;
  c->links = (uintptr_t)b;
  b = c = NULL;
  struct node *before = NULL;
  while (a != NULL) {
    struct node *next = (struct node *)(a->links ^ (uintptr_t)before);
    free(before);
    before = a;
    a = next;
  }
  free(before);
  return 0;
}

// RUN: --check leaks
// PATHS: 1
