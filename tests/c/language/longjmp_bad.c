/* A function that returned cannot be jumped into. */
#include <setjmp.h>

static jmp_buf buffer;

static int mark(void) { return setjmp(buffer); }

int main(void) {
  if (mark()) return 1;
  longjmp(buffer, 1); // FAULT: invalid-call
}

// FAULTED: 1
