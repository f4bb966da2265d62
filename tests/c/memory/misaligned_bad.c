/* Words in a buffer of bytes: whether an offset fits the type is asked on demand, and the path goes on. */
#include <mneme.h>
#include <stdlib.h>

struct pair {
  char tag;
  int value;
};

static int word(const char *buffer, unsigned at) {
  return *(const int *)(buffer + at); // FAULT[alignment]: misaligned-access
}

int main(void) {
  char *buffer = calloc(16, 1);
  char local[8] = {0};
  if (buffer == NULL)
    return 3;
  unsigned at = mneme_uint("at");
  mneme_assume(at <= 4);
  *(short *)(local + 3) = 1; // FAULT[alignment]: misaligned-access
  struct pair *pair = (struct pair *)(buffer + 2);
  pair->value = 2; // FAULT[alignment]: misaligned-access
  int seen = word(buffer, at) == 0;
  free(buffer);
  return seen && local[3] == 1 ? 1 : 2;
}

// RUN: #plain
// RUN: --check alignment #alignment
// RUN: --check alignment --m32 #alignment
// FAULTED: 0
// EXACT: true
