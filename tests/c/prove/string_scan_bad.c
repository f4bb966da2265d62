/* As string_scan_ok.c, but a string of one character has no zero behind it. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int length = mneme_int("length");
  if (length < 1 || length > 8)
    return 0;
  char *text = malloc(length);
  for (int i = 0; i < length - 1; i++)
    text[i] = mneme_char("text");
  if (length > 1)
    text[length - 1] = '\0';
  char *end = text;
  while (*end) // FAULT: out-of-bounds-read
    end++;
  int found = end - text;
  free(text);
  return found < 0;
}

// RUN: --prove --uninit any
// MODELS: objects heaplets
