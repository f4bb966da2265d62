/* Neither the middle of a block nor a global nor a local can be freed. */
#include <klee/klee.h>
#include <stdlib.h>

static char global[4];

int main(void) {
  char local[4] = {0};
  unsigned which;
  klee_make_symbolic(&which, sizeof which, "which");
  char *heap = malloc(4);
  switch (which) {
  case 0:
    free(heap + 1); // FAULT: invalid-free
    break;
  case 1:
    free(global); // FAULT: invalid-free
    break;
  case 2:
    free(local); // FAULT: invalid-free
    break;
  default:
    free(heap);
  }
  return local[0];
}

// PATHS: 1
// FAULTED: 3
