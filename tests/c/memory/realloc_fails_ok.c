/* The twin that keeps the old pointer until it knows. */
// RUN: --malloc-may-fail --check leaks
#include <stdlib.h>

int main(void) {
  char *text = malloc(8);
  if (text == NULL)
    return 1;
  char *larger = realloc(text, 1000);
  if (larger == NULL) {
    free(text);
    return 2;
  }
  free(larger);
  return 0;
}

// PATHS: 3
// VALUES: 0 1 2
