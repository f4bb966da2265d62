/* The one string that passes a check is found. */
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[5];
  klee_make_symbolic(s, sizeof s, "s");
  s[4] = 0;
  if (strcmp(s, "key!") == 0)
    return 1;
  if (strncmp(s, "key?", 3) == 0)
    return 2;
  return 0;
}

// VALUES: 0 1 2
// EXACT: true
