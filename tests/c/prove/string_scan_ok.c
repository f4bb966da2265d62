/* A string of any length in an array of unknown size: filled by one loop, ended by a zero, scanned by another. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int length = mneme_int("length");
  if (length < 1 || length > 1 << 24)
    return 0;
  char *text = malloc(length);
  for (int i = 0; i < length - 1; i++)
    text[i] = mneme_char("text");
  text[length - 1] = '\0';
  char *end = text;
  while (*end)
    end++;
  int found = end - text;
  free(text);
  return found < 0;
}

// RUN: --prove --uninit any --capacity 16777216
// MODELS: objects heaplets planes
