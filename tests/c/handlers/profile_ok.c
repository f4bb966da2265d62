/* The profiler prefers inputs that reach bytes not reached before, so that three writes reach three bytes (symMMU, 4.2.2). */
// RUN: --handler profile
// MODELS: objects
#include <mneme.h>

int main(void) {
  static char a[3];
  unsigned char s[3];
  mneme_symbolic(s, sizeof s, "s");
  for (int i = 0; i < 3; i++)
    mneme_assume(s[i] < 3);
  for (int i = 0; i < 3; i++)
    a[s[i]] = 1;
  mneme_assert(a[0] + a[1] + a[2] == 3);
  return 0;
}

// PATHS: 1
// EXACT: false
