/* The exit code is output: a variable that one path does not set is returned. */
#include <mneme.h>

int main(void) {
  int code;
  int n = mneme_int("n");
  if (n < 0)
    return 1;
  if (n > 100)
    code = 2;
  return code; // FAULT: uninitialized-read
}

// PATHS: 2
// FAULTED: 1
