/* One read of a symbolic input is one path, whatever the length. */
#include <assert.h>
#include <unistd.h>

int main(void) {
  char bytes[16];
  long n = read(0, bytes, sizeof bytes);
  assert(n >= 0 && n <= 5);
  if (n < 2)
    return n; // VALUES: 0 1 2
  assert(read(0, bytes, sizeof bytes) == 0);
  return 2;
}

// RUN: --sym-stdin 5
// EXACT: true
