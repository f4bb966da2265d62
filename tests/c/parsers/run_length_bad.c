/* Run-length codes: a count and a byte. The last run may be longer than the room that is left. */
#include "text.h"

int main(void) {
  size_t size;
  const unsigned char *s = bytes(&size);
  unsigned char out[8];
  size_t n = 0;
  for (size_t i = 0; i + 2 <= size; i += 2) {
    size_t count = s[i] & 7;
    if (count == 0)
      break;
#ifdef SAFE
    if (count > sizeof out - n)
      return 2;
#endif
    for (size_t k = 0; k < count; k++)
      out[n++] = s[i + 1]; // FAULT[!safe]: out-of-bounds-write
  }
  if (n && out[n - 1] == 'z')
    return 1;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: -DSAFE --merge none #safe #apart
// RUN: -DSAFE --merge patterns #safe #patterns
// RUN: -DSAFE --merge patterns -DCAPACITY=4 --paranoid #safe #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[!safe apart]: 0 1
// VALUES[safe apart]: 0 1 2
