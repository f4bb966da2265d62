/* The target is too small for one length, the source for the other. */
#include <klee/klee.h>
#include <string.h>

int main(void) {
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  char small[4] = "abc", large[8] = "defghij";
  if (which)
    memcpy(small, large, 5); // FAULT: out-of-bounds-write
  else
    memcpy(large, small, 5); // FAULT: out-of-bounds-read
  return small[0] + large[0];
}

// PATHS: 0
// FAULTED: 2
