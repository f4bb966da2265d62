/* Output of concrete values does not disturb the exploration. */
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  char text[32];
  int n = snprintf(text, sizeof text, "%d-%s-%c", 42, "ab", 'z');
  printf("%s %5.2f %lu\n", text, 2.5, 7ul);
  puts("done");
  if (x > 0)
    return n;
  return strcmp(text, "42-ab-z");
}

// PATHS: 2
// VALUES: 0*1 7*1
// EXACT: true
