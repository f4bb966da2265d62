/* Unsigned arithmetic that wraps: defined, and found on demand where it is not meant. */
#include <mneme.h>

int main(void) {
  unsigned x = mneme_uint("x");
  unsigned hash = 0;
  for (int i = 0; i < 2; i++)
    hash = (hash << 5 ^ x) & 0xffff;
  unsigned next = x + 1; // FAULT[unsigned]: unsigned-overflow
  unsigned less = x - 1; // FAULT[unsigned]: unsigned-overflow
  return (int)((hash | next | less) & 0);
}

// RUN: #plain
// RUN: --check unsigned #unsigned
// MODELS: objects
// FAULTED[unsigned]: 2
// FAULTED[plain]: 0
// EXACT: true
