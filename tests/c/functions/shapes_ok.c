/* Insertion, deletion and reversal of lists and trees: every shape that the function can tell apart, up to three nodes deep,
   and none twice. Where a pointer is not followed, what it leads to is no part of the shape. */
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

struct tree {
  int key;
  struct tree *left, *right;
};

/* At the end: lists of none to three nodes. */
struct node *append(struct node *p, struct node added[static 1]) {
  struct node **end = &p;
  while (*end)
    end = &(*end)->next;
  *end = added;
  return p;
}

/* In order: behind none, one, two or three nodes at the end of the list, or before the first, second or third. */
struct node *insert(struct node *p, struct node added[static 1]) {
  struct node **at = &p;
  while (*at && (*at)->value < added->value)
    at = &(*at)->next;
  added->next = *at;
  *at = added;
  return p;
}

/* The last node: lists of none to three. */
struct node *delete_last(struct node *p) {
  struct node **at = &p;
  while (*at && (*at)->next)
    at = &(*at)->next;
  free(*at);
  *at = NULL;
  return p;
}

/* The first node with this value, through a pointer to a pointer, which is one node: it is one of two, or there is none. */
int delete_value(struct node *head[static 1], int value) {
  for (struct node **p = head; *p; p = &(*p)->next)
    if ((*p)->value == value) {
      struct node *gone = *p;
      *p = gone->next;
      free(gone);
      return 1;
    }
  return 0;
}

/* Left, right, left …, up to three nodes: 1 + 2 + 4 + 8 places for a new one, and 1 + 2 + 4 nodes that have its key. */
struct tree *plant(struct tree *t, struct tree added[static 1]) {
  struct tree **at = &t;
  while (*at) {
    if (added->key == (*at)->key)
      return t;
    at = added->key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  *at = added;
  return t;
}

/* The leftmost node: none, or it is one, two or three deep. */
struct tree *delete_least(struct tree *t) {
  struct tree **at = &t;
  while (*at && (*at)->left)
    at = &(*at)->left;
  struct tree *gone = *at;
  if (gone) {
    *at = gone->right;
    free(gone);
  }
  return t;
}

/* All of it: a leaf or two subtrees, 1 + (1 + (1 + 1)²)² shapes. */
void mirror(struct tree *t) {
  if (!t)
    return;
  struct tree *left = t->left;
  t->left = t->right;
  t->right = left;
  mirror(t->left);
  mirror(t->right);
}

// RUN: --function append --aliases never #append
// PATHS[append]: 4
// RUN: --function insert --aliases never #insert
// PATHS[insert]: 7
// RUN: --function delete_last --aliases never #last
// PATHS[last]: 4
// RUN: --function delete_value --aliases never --elements 1 #value
// PATHS[value]: 5
// RUN: --function plant --aliases never #plant
// PATHS[plant]: 22
// RUN: --function delete_least --aliases never #least
// PATHS[least]: 4
// RUN: --function mirror --aliases never #mirror
// PATHS[mirror]: 26
// STOPS: the depth of structures
// MODELS: objects planes
