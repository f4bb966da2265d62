/* `free` of a pointer that means one of two objects: each is gone where it was freed and there elsewhere. `planes` keeps one path for
   both, and still finds what is stale on each side. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char *a = malloc(8), *b = malloc(8);
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  a[0] = 1;
  b[0] = 2;
  char *p = which ? a : b;
  free(p);
  int use;
  klee_make_symbolic(&use, sizeof use, "use");
  if (use == 1)
    return a[0]; // FAULT: use-after-free
  if (use == 2)
    return b[0]; // FAULT: use-after-free
  if (use == 3)
    free(a); // FAULT: double-free
  if (use == 4)
    a = realloc(a, 16); // FAULT: double-free
  free(which ? b : a); // FAULT: double-free
  return 0;
}
