/* The compiler's own setjmp, with its buffer of five words. */
#include <assert.h>

static void *buffer[5];

__attribute__((noinline)) static void jump(void) { __builtin_longjmp(buffer, 1); }

int main(void) {
  volatile int before = 3;
  if (__builtin_setjmp(buffer) == 0) {
    before = 4;
    jump();
    return 1;
  }
  assert(before == 4);
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --m32
// VALUES: 0*1
// EXACT: true
