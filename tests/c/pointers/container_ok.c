/* From a member back to its structure, as kernels do it; a flexible array member; negative indices inside an object. */
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>
#include <stdlib.h>

struct link {
  struct link *next;
};
struct thing {
  int id;
  struct link link;
  char name[];
};

int main(void) {
  int id;
  klee_make_symbolic(&id, sizeof id, "id");
  struct thing *t = malloc(sizeof *t + 4);
  t->id = id;
  t->link.next = &t->link;
  t->name[3] = 'x';
  struct link *l = t->link.next;
  struct thing *u = (struct thing *)((char *)l - offsetof(struct thing, link));
  assert(u->id == id);
  assert(((char *)(u + 1))[3] == 'x');
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int *row = grid[1];
  assert(row[-1] == 3);
  free(u);
  return 0;
}

// PATHS: 1
// EXACT: true
