/* As string_scan_ok.c, but where the last loop could end there may be no zero. */
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  int length = mneme_int("length");
  if (length < 1 || length > 1 << 24)
    return 0;
  char *text = malloc(length);
  for (int i = 0; i < length - 1; i++)
    text[i] = mneme_char("text");
  if (length != 2)
    text[length - 1] = '\0';
  char *end = text;
  while (*end) // FAULT: out-of-bounds-read
    end++;
  int found = end - text;
  free(text);
  return found < 0;
}

// RUN: --prove --uninit any --capacity 16777216 --max-time 3
// MODELS: objects
// EXACT: false
// STOPS: time
