/* What is wrong for one of the merged paths only is found, with an input of that path; so is what is wrong inside. */
#include <klee/klee.h>
#include <mneme.h>

int main(void) {
  int a, t[4] = {0};
  klee_make_symbolic(&a, sizeof a, "a");
  klee_assume(a >= 0 & a < 6);
  int i = 0;
  mneme_merge_open();
  if (a == 5)
    klee_assert(0); // FAULT: assertion-failure
  if (a == 1)
    i = 2;
  else if (a == 2)
    i = 4;
  mneme_merge_close();
  return t[i]; // FAULT: out-of-bounds-read
}

// PATHS: 1
// FAULTED: 2
