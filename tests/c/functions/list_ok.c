/* Linked structures come out by themselves: every shape of a list of up to three nodes, each once. A list ends with null or
   goes back to one of its nodes: 1 + 2 + 3 + 4 shapes, and those with a fourth node are counted as cut off. */
#include <stddef.h>

struct node {
  int value;
  struct node *next;
};

struct node *reverse(struct node *p) {
  struct node *r = NULL;
  while (p) {
    struct node *next = p->next;
    p->next = r;
    r = p;
    p = next;
  }
  return r;
}

/* Goes round and round where the list does: such paths are cut off, too. */
int length(struct node *p) {
  int n = 0;
  for (; p; p = p->next)
    n++;
  return n;
}

/* Two lists: the second may be any part of the first. */
int same_next(struct node *p, struct node *q) { return p && q && p->next == q->next; }

// RUN: --function reverse #reverse
// PATHS[reverse]: 10
// RUN: --function length --max-path 3000 #length
// MODELS[length]: objects planes-naive
// PATHS[length]: 4
// STOPS[length]: instructions of one path
// VALUES[length]: 0 1 2 3
// RUN: --function length --aliases never #apart
// PATHS[apart]: 4
// RUN: --function same_next #two
// VALUES[two]: 0 1
// EXACT[two]: true
// STOPS[reverse, length, apart]: the depth of structures
// MODELS: objects planes planes-naive
