/* Two owners free the same block when the flag is set. */
#include <klee/klee.h>
#include <stdlib.h>

struct box {
  int *data;
};

int main(void) {
  int shared;
  klee_make_symbolic(&shared, sizeof shared, "shared");
  struct box a = {malloc(4)}, b = a;
  if (!shared)
    b.data = malloc(4);
  free(a.data);
  free(b.data); // FAULT: double-free
  return 0;
}

// PATHS: 1
// FAULTED: 1
