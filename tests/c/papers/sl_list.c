/* Seed 003 (separation-logic slides), singly linked list: build n nodes (0..CAPACITY), sum, free.
 * Expect: 0 errors, CAPACITY+1 paths when forking, assertion holds. -DFORGET does not free the last node:
 * memory leak at exit for n > 0. -DSTALE reads node->next after free: use after free on line 38. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#ifndef CAPACITY
#define CAPACITY 8
#endif

struct node {
  int value;
  struct node *next;
};

int main(void) {
  unsigned n, sum = 0;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= CAPACITY);
  struct node *head = 0;
  for (unsigned i = 0; i < n; i++) {
    struct node *x = malloc(sizeof *x);
    x->value = (int)i;
    x->next = head;
    head = x;
  }
  for (struct node *x = head; x; x = x->next)
    sum += (unsigned)x->value;
  assert(2 * sum == n * (n - 1));
  while (head) {
    struct node *next = head->next;
#ifdef FORGET
    if (next == 0)
      break;
#endif
    free(head);
#ifdef STALE
    next = head->next; /* BUG */ // FAULT[stale]: use-after-free
#endif
    head = next;
  }
  return 0;
} // FAULT[forget]: memory-leak

// RUN:
// RUN: --check leaks -DFORGET #forget
// RUN: -DSTALE #stale
// PATHS[1]: 9
// PATHS[stale]: 1
// FAULTED[stale]: 8
// QUERIES[1 objects]: <= 19
// QUERIES[2 objects]: <= 19
// QUERIES[3 objects]: <= 19
