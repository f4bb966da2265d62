/* realloc may fail and leaves the old block alone, whose only pointer is overwritten. */
// RUN: --malloc-may-fail --check leaks
#include <stdlib.h>

int main(void) {
  char *text = malloc(8);
  if (text == NULL)
    return 1;
  text = realloc(text, 1000); // FAULT: memory-leak
  if (text == NULL)
    return 2;
  text[999] = 0;
  free(text);
  return 0;
}

// PATHS: 3
// VALUES: 0 1 2
