/* What strdup allocated is lost when the function returns. */
// RUN: --check leaks
#include <string.h>

static int length(const char *s) {
  char *copy = strdup(s);
  return copy == NULL ? 0 : (int)strlen(copy);
} // FAULT: memory-leak

int main(void) { return length("four"); } // VALUES: 4
