/* Ten operations on lists and trees, each with one seeded fault; all are found without a harness, on small shapes. What
   the callers see to is said with mneme_requires: a list without cycle is left, and pointers that must not be null. */
#include <mneme.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

struct tree {
  int key;
  struct tree *left, *right;
};

/* Forgets that the list may be empty. */
struct node *append(struct node *p, struct node *added) {
  struct node *end = p;
  while (end->next) // FAULT[append]: null-dereference
    end = end->next;
  end->next = added;
  return p;
}

/* The last node has no next one. */
int second_last(const struct node *p) {
  mneme_requires(p != NULL);
  while (p->next->next) // FAULT[second_last]: null-dereference
    p = p->next;
  return p->value;
}

/* The node is gone before its next one is read. */
void release(struct node *p) {
  for (; p; p = p->next) // FAULT[release]: use-after-free
    free(p);
}

/* Deletes the node, but looks at it once more. */
struct node *delete_first(struct node *p, int value) {
  struct node *next = p ? p->next : NULL;
  if (p && p->value == value) {
    free(p);
    return p->value == value ? next : p; // FAULT[delete_first]: use-after-free
  }
  return p;
}

/* Two nodes with the same value are freed together, even if they are one. */
void drop_both(struct node *p, struct node *q) {
  if (p && q && p->value == q->value) {
    free(p);
    free(q); // FAULT[drop_both]: double-free
  }
}

/* A new last node whose own next one was never set. */
int sum_with_new(struct node *p, int value) {
  struct node *added = malloc(sizeof *added);
  added->value = value;
  if (p && !p->next)
    p->next = added;
  int sum = 0;
  for (int i = 0; p && i < 3; p = p->next, i++) // FAULT[sum_with_new]: uninitialized-read
    sum += p->value;
  return sum;
}

/* The smallest key is that of the leftmost node, if there is any. */
int smallest(const struct tree *t) {
  while (t->left) // FAULT[smallest]: null-dereference
    t = t->left;
  return t->key;
}

/* A rotation needs a left child. */
struct tree *rotate_right(struct tree *t) {
  mneme_requires(t != NULL);
  struct tree *up = t->left;
  t->left = up->right; // FAULT[rotate_right]: null-dereference
  up->right = t;
  return up;
}

/* A node with one child is replaced by the wrong one, and freed. */
int remove_root(struct tree *t) {
  if (!t || (t->left && t->right))
    return 0;
  struct tree *child = t->left ? t->left : t->right;
  free(t);
  return child->key; // FAULT[remove_root]: null-dereference
}

/* The average of no nodes. */
int average(const struct node *p) {
  int sum = 0, n = 0;
  for (; p && n < 3; p = p->next, n++)
    sum += p->value & 15;
  return sum / n; // FAULT[average]: division-by-zero
}

// RUN: --function append --aliases never #append
// RUN: --function second_last --aliases never #second_last
// RUN: --function release --aliases never #release
// RUN: --function delete_first --aliases never #delete_first
// RUN: --function drop_both #drop_both
// RUN: --function sum_with_new --aliases never #sum_with_new
// RUN: --function smallest --aliases never #smallest
// RUN: --function rotate_right --aliases never #rotate_right
// RUN: --function remove_root --aliases never #remove_root
// RUN: --function average --aliases never #average
// STOPS[append, second_last, smallest]: the depth of structures
// MODELS: objects
