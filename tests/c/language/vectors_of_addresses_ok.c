/* Vectors of addresses, and loads and stores of some elements of a vector, as the vectoriser makes them for machines that have them. */
#include <assert.h>

static int from[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static int *places[16];
static int to[16];

__attribute__((noinline)) void gather(const int *index, int n) {
  for (int i = 0; i < n; i++)
    if (index[i] & 1)
      to[i] = from[index[i]] * 3;
}

__attribute__((noinline)) void point(int n) {
  for (int i = 0; i < n; i++)
    places[i] = &from[15 - i];
}

int main(void) {
  int index[16];
  for (int i = 0; i < 16; i++)
    index[i] = i * 7 & 15;
  gather(index, 16);
  point(16);
  for (int i = 0; i < 16; i++) {
    assert(to[i] == (index[i] & 1 ? from[index[i]] * 3 : 0));
    assert(*places[i] == 16 - i);
  }
  return 0;
}

// RUN:
// RUN: --cflags='-O2'
// RUN: --cflags='-O3 -march=skylake-avx512'
// VALUES: 0*1
// EXACT: true
