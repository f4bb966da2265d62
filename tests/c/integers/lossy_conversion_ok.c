/* Implicit conversions that keep the value, and casts that need not. */
#include <mneme.h>

int main(void) {
  int x = mneme_int("x");
  unsigned char low = (unsigned char)x;
  signed char digit = x >= 0 && x < 10 ? x : -1;
  unsigned short wide = low;
  return digit > 9 || wide > 255;
}

// RUN: --check conversions
// MODELS: objects
// VALUES: 0
// EXACT: true
