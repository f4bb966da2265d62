/* `longjmp` comes back to `setjmp` with its value, through calls, loops and signal-safe variants; memory keeps what was written. */
#include <assert.h>
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf outer;
static sigjmp_buf with_mask;
static int steps;

static void deep(int n) {
  int local[4] = {n};
  if (n == 0) longjmp(outer, 7);
  deep(n - 1);
  steps += local[0] + 100;
}

static int nested(int value) {
  jmp_buf inner;
  volatile int tries = 0;
  int got = setjmp(inner);
  tries++;
  if (got < 3) longjmp(inner, got + 1);
  assert(got == 3 && tries == 4);
  longjmp(outer, value);
}

int main(void) {
  volatile int rounds = 0;
  switch (setjmp(outer)) {
  case 0:
    rounds++;
    deep(5);
    return 1;
  case 7:
    rounds++;
    assert(rounds == 2 && steps == 0);
    nested(0);
    return 2;
  case 1:
    assert(rounds == 2);
    break;
  default:
    return 3;
  }
  if (!sigsetjmp(with_mask, 1)) siglongjmp(with_mask, 5);
  int symbolic;
  klee_make_symbolic(&symbolic, sizeof symbolic, "symbolic");
  klee_assume((symbolic == 0) | (symbolic == 2));
  jmp_buf here, copy;
  int got = setjmp(here);
  if (got == 0) {
    __builtin_memcpy(copy, here, sizeof copy);
    longjmp(copy, symbolic);
  }
  assert(got == (symbolic ? symbolic : 1));
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// RUN: --m32
// EXACT: true
