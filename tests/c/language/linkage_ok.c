/* Weak symbols, aliases, thread-local variables, constructors and destructors in order. */
#include <assert.h>
#include <stdlib.h>

static int order[8], count;

__attribute__((constructor(202))) static void second(void) { order[count++] = 2; }
__attribute__((constructor(201))) static void first(void) { order[count++] = 1; }
__attribute__((destructor)) static void last(void) { assert(count == 3 && order[2] == 3); }

extern int nowhere(void) __attribute__((weak));
extern int absent __attribute__((weak));
__attribute__((weak)) int replaceable(void) { return 4; }
int original = 6;
extern int other_name __attribute__((alias("original")));
static int implementation(int x) { return x + 1; }
int exported(int x) __attribute__((alias("implementation")));
_Thread_local int own = 9;
static __thread int zero[3];

int main(void) {
  assert(count == 2 && order[0] == 1 && order[1] == 2);
  assert(!nowhere && !&absent && replaceable() == 4);
  other_name++;
  assert(original == 7 && &original == &other_name && exported(1) == 2);
  own += zero[1];
  assert(own == 9);
  order[count++] = 3;
  return 0;
}

// RUN:
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
