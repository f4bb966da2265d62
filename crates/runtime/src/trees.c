/* <search.h>: binary trees. They are not balanced, which only their speed tells. */
#include "libc.h"

typedef int order(const void *, const void *);

struct node {
  const void *key; /* first: programs look at it */
  struct node *left, *right;
};

/* Where the node with this key hangs, or where it would. */
static PLAIN struct node **place(const void *key, struct node **root, order *compare) {
  while (*root != NULL) {
    int difference = compare(key, (*root)->key);
    if (difference == 0)
      return root;
    if (difference < 0)
      root = &(*root)->left;
    else
      root = &(*root)->right;
  }
  return root;
}

PUBLIC void *tfind(const void *key, void *const *root, order *compare) {
  return root == NULL ? NULL : *place(key, (struct node **)root, compare);
}

PUBLIC void *tsearch(const void *key, void **root, order *compare) {
  if (root == NULL)
    return NULL;
  struct node **where = place(key, (struct node **)root, compare);
  if (*where == NULL && (*where = malloc(sizeof **where)) != NULL)
    **where = (struct node){.key = key};
  return *where;
}

PUBLIC void *tdelete(const void *key, void **root, order *compare) {
  if (root == NULL)
    return NULL;
  struct node **where = (struct node **)root, *parent = NULL;
  while (*where != NULL) {
    int difference = compare(key, (*where)->key);
    if (difference == 0)
      break;
    parent = *where;
    where = difference < 0 ? &parent->left : &parent->right;
  }
  struct node *gone = *where;
  if (gone == NULL)
    return NULL;
  if (gone->left != NULL && gone->right != NULL) {
    /* The least on its right takes its place. */
    struct node **least = &gone->right;
    while ((*least)->left != NULL)
      least = &(*least)->left;
    struct node *next = *least;
    *least = next->right;
    next->left = gone->left;
    next->right = gone->right;
    *where = next;
  } else {
    *where = gone->left != NULL ? gone->left : gone->right;
  }
  free(gone);
  /* Of the root there is no parent: anything but NULL. */
  return parent != NULL ? (void *)parent : (void *)root;
}

enum visit { PREORDER, POSTORDER, ENDORDER, LEAF };
typedef void visitor(const void *, enum visit, int);

static void walk(const struct node *node, visitor *visit, int depth) {
  if (node == NULL)
    return;
  if (node->left == NULL && node->right == NULL) {
    visit(node, LEAF, depth);
    return;
  }
  visit(node, PREORDER, depth);
  walk(node->left, visit, depth + 1);
  visit(node, POSTORDER, depth);
  walk(node->right, visit, depth + 1);
  visit(node, ENDORDER, depth);
}
PUBLIC void twalk(const void *root, visitor *visit) { walk(root, visit, 0); }

PUBLIC void tdestroy(void *root, void (*release)(void *)) {
  struct node *node = root;
  if (node == NULL)
    return;
  tdestroy(node->left, release);
  tdestroy(node->right, release);
  release((void *)node->key);
  free(node);
}
