/* Uninitialised bytes may be copied, masked away and overwritten; only a decision on them is an error. */
#include <klee/klee.h>
#include <string.h>

struct padded {
  char tag;
  int value;
};

int main(void) {
  struct padded a, b;
  a.tag = 1;
  klee_make_symbolic(&a.value, sizeof a.value, "value");
  b = a;
  struct padded c;
  memcpy(&c, &b, sizeof c);
  unsigned partly;
  ((char *)&partly)[0] = 5;
  unsigned low = partly & 0xff;
  int unused;
  int other = unused;
  other = 2;
  if (c.value == a.value)
    return (int)low + other + c.tag;
  return 100;
}

// PATHS: 1
// VALUES: 8*1
// EXACT: true
