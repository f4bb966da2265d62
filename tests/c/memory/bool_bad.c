/* The byte of a _Bool may come from anywhere, but it is 0 or 1. */
#include <mneme.h>
#include <stdbool.h>
#include <string.h>

struct header {
  bool compressed;
  unsigned char length;
};

int main(void) {
  unsigned char bytes[2];
  bytes[0] = mneme_uchar("first");
  bytes[1] = 7;
  struct header header;
  memcpy(&header, bytes, sizeof bytes);
  if (header.compressed) // FAULT: invalid-bool
    return 1;
  return 0;
}

// RUN:
// RUN: --m32
// FAULTED: 1
// VALUES: 0 1
// EXACT: true
