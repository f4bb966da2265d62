/* A copy of a string is an allocation that may fail like any other. */
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *first = malloc(2);
  if (first == NULL)
    return 1;
  strcpy(first, "a");
  char *second = strdup(first);
  if (second == NULL)
    return 2;
  char *third = strndup(second, 1);
  third[0] = 'b'; // FAULT: null-dereference
  free(third);
  free(second);
  free(first);
  return 0;
}

// RUN: --malloc-may-fail
// PATHS: 3
// FAULTED: 1
// VALUES: 0*1 1*1 2*1
