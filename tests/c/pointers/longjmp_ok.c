/* A pointer that changed between `setjmp` and `longjmp` refers to what it was changed to. */
#include <setjmp.h>

static jmp_buf buffer;
static int before = 1, after = 2;

int main(void) {
  int *p = &before;
  if (setjmp(buffer))
    return *p;
  p = &after;
  longjmp(buffer, 1);
}

// VALUES: 2
