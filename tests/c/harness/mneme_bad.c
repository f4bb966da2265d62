/* A buffer of Mneme's is as long as it says, and an assertion survives NDEBUG. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  char *text = mneme_symbolic_string(3, "text");
  unsigned i = mneme_uint("i");
  mneme_assume(i < 4);
  if (text[i] == 'x') // FAULT: out-of-bounds-read
    mneme_assert(i < 1); // FAULT: assertion-failure
  free(text);
  return 0;
}

// RUN:
// RUN: -DNDEBUG
// FAULTED: 2
