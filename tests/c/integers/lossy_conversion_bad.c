/* Implicit conversions that change the value: found on demand; a cast says that it is meant. */
#include <mneme.h>

static unsigned char checksum(unsigned sum) {
  return sum; // FAULT[conversions]: lossy-conversion
}

int main(void) {
  int x = mneme_int("x");
  signed char small = x & 0xff; // FAULT[conversions]: lossy-conversion
  short cut = (short)x;
  return (small + cut + checksum((unsigned)x)) & 0;
}

// RUN: #plain
// RUN: --check conversions #conversions
// RUN: --check conversions --m32 #conversions
// MODELS: objects
// FAULTED[conversions]: 2
// FAULTED[plain]: 0
// VALUES: 0
// EXACT: true
