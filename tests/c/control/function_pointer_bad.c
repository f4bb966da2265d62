/* Pointers that lead to no function: null, a number, data, and one that nobody has written. */
#include <mneme.h>
#include <stdint.h>

static int data[4];

int main(void) {
  int (*f)(void);
  switch (mneme_between(0, 3, "which")) {
  case 0:
    f = NULL;
    return f(); // FAULT: invalid-call
  case 1:
    f = (int (*)(void))(uintptr_t)0x1234;
    return f(); // FAULT: invalid-call
  case 2:
    f = (int (*)(void))data;
    return f(); // FAULT: invalid-call
  default:
    return f(); // FAULT: uninitialized-read
  }
}

// FAULTED: 4
