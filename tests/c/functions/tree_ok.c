/* Binary trees without sharing, up to depth 3: a leaf or two subtrees: 1 + (1 + (1 + 1)²)² = 26 shapes. */
#include <stddef.h>

struct tree {
  int key;
  struct tree *left, *right;
};

int size(const struct tree *t) { return t ? 1 + size(t->left) + size(t->right) : 0; }

// RUN: --function size --aliases never
// PATHS: 26
// STOPS: the depth of structures
// VALUES: 0 1 2 3 4 5 6 7
// MODELS: objects planes
