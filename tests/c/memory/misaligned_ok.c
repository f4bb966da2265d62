/* Packed structures, copies, and indices of whole words need no more than they have. */
#include <mneme.h>
#include <string.h>

struct __attribute__((packed)) packed {
  char tag;
  int value;
};

int main(void) {
  unsigned char bytes[16] = {0, 1, 0, 0, 0};
  unsigned i = mneme_uint("i");
  mneme_assume(i < 3);
  int copied;
  memcpy(&copied, bytes + 1 + i, sizeof copied);
  int words[4] = {1, 2, 3, 4};
  struct packed packed[2] = {{'a', 5}, {'b', 6}};
  long long wide = 7;
  return words[i] + packed[i & 1].value + (int)wide < 13 || copied < 0;
}

// RUN: --check alignment
// RUN: --check alignment --m32
// VALUES: 0
// EXACT: true
