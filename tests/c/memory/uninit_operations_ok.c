/* Unwritten values that are only passed on, or whose unwritten part has no effect. */
#include <mneme.h>
#include <string.h>

struct v {
  double x, y;
};

static struct v add(struct v a, struct v b) {
  struct v sum;
  sum.x = a.x + b.x;
  sum.y = a.y + b.y;
  return sum;
}

int main(void) {
  struct v a, b;
  a.x = 1;
  b.x = 2;
  struct v c = add(a, b);
  if (c.x != 3)
    return 1;
  unsigned unknown;
  if (6 / ((unknown & 3) | 4) > 6)
    return 2;
  return 8 >> (unknown & 0);
}

// VALUES: 8
// RUN:
// RUN: --check overflow
