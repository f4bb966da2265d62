/* Records of a type, a length and a value. That the value ends inside the bytes is not checked for the last one. */
#include "text.h"

int main(void) {
  size_t size;
  const unsigned char *s = bytes(&size);
  size_t at = 0;
  int records = 0;
  while (at + 2 <= size && records < 2) {
    unsigned type = s[at], length = s[at + 1];
    if (type == 0)
      return 3;
#ifdef SAFE
    if (length > size - at - 2)
      return 4;
#endif
    unsigned sum = 0;
    for (unsigned i = 0; i < length; i++)
      sum += s[at + 2 + i]; // FAULT[!safe]: out-of-bounds-read
    if (type == 1 && sum == 7)
      return 5;
    at += 2 + length;
    records++;
  }
  return records;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: -DSAFE --merge none #safe #apart
// RUN: -DSAFE --merge patterns #safe #patterns
// RUN: -DSAFE --merge patterns -DCAPACITY=4 --paranoid #safe #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[safe apart]: 0 1 2 3 4 5
