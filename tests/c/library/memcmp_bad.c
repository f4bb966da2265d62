/* memcmp reads all n bytes of both blocks, even where an earlier one differs; so do bcmp and wmemcmp. */
#include <mneme.h>
#include <string.h>
#include <wchar.h>

int main(void) {
  char a[4] = {1, 2, 3, 4}, b[4];
  mneme_symbolic(b, 4, "b");
  b[0] = 9;
  unsigned n = mneme_uint("n");
  if (n == 1)
    return memcmp(a, b, 8) != 0; // FAULT: out-of-bounds-read
  wchar_t v[2] = {1, 2}, w[3] = {3, 4, 5};
  if (n == 2)
    return wmemcmp(v, w, 3) != 0; // FAULT: out-of-bounds-read
  if (n > 4)
    return 5;
  return memcmp(a, b, n) == 0 ? 3 : 4;
}

// RUN:
// RUN: --m32
// FAULTED: 2
// VALUES: 3 4 5
// EXACT: true
