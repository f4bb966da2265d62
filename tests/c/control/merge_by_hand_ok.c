/* Two branches between `klee_open_merge` and `klee_close_merge` are one path afterwards, and it still knows both. */
#include <klee/klee.h>

int main(void) {
  int a, b, sum = 0;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_open_merge();
  if (a > 0)
    sum += 1;
  if (b > 0)
    sum += 2;
  klee_close_merge();
  klee_assert(sum == (a > 0) + 2 * (b > 0));
  if (sum == 3)
    klee_assert(a > 0 && b > 0);
  return 0;
}

// PATHS: 2
