/* Bytes of pointers that come to their places through symbolic indices: what they make together is no pointer to be seen, and yet
 * the address of the object or function that they are of. */
#include <klee/klee.h>
#include <string.h>

static int a[4] = {1, 2, 3, 4};
static int twice(int x) { return 2 * x; }

int main(void) {
  unsigned char j;
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(j < 8);

  int *p = a;
  unsigned char copy[8];
  for (int k = 0; k < 8; k++) copy[k ^ j] = ((unsigned char *)&p)[k ^ j];
  int *q;
  memcpy(&q, copy, sizeof q);

  int (*f)(int) = twice;
  unsigned char *byte = (unsigned char *)&f + j;
  unsigned char saved = *byte;
  *byte = 0;
  *byte = saved;

  return f(q[1]);
}

// PATHS: 1
// VALUES: 4*1
