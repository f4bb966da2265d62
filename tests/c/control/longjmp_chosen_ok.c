/* Which of two buffers `longjmp` gets depends on the input. */
#include <mneme.h>
#include <setjmp.h>

static jmp_buf buffers[2];

int main(void) {
  unsigned i = mneme_uint("i");
  mneme_assume(i < 2);
  if (setjmp(buffers[0]))
    return 1;
  if (setjmp(buffers[1]))
    return 2;
  longjmp(buffers[i], 1);
}

// VALUES: 1 2
// PATHS: 2
