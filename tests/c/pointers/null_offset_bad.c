/* Arithmetic on null: undefined even where nobody follows the result, but asked about on demand. */
#include <mneme.h>
#include <stdlib.h>

struct pair {
  int first, second;
};

static int *seconds(struct pair *pair) {
  return &pair->second; // FAULT[asked]: null-offset
}

int main(void) {
  int n = mneme_between(0, 3, "n");
  char *start = NULL;
  char *end = start + n; // FAULT[asked]: null-offset
  start += 0;
  int *second = seconds(NULL);
  if (n == 3)
    return ((struct pair *)start)->second; // FAULT: null-dereference
  return end == start ? 1 : second != NULL ? 2 : 3;
}

// MODELS: objects planes
// RUN: #plain
// RUN: --check null-offsets #asked
// PATHS: 2
// VALUES: 1 2
// FAULTED: 1
// EXACT: true
