/* The bytes behind a field belong to the same object, the bytes behind the object to none: an offset that reaches another
 * object is out of bounds, whatever lies there. */
#include <klee/klee.h>

struct pair {
  char first[4];
  char second[4];
};

int main(void) {
  struct pair x = {"abc", "def"}, y = {"ghi", "jkl"};
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 64);
  char *bytes = (char *)&x;
  char c = bytes[i]; // FAULT: out-of-bounds-read
  return (c == 'g') + (y.first[0] != 'g');
}

// PATHS: 1
// FAULTED: 1
// VALUES: 0*1
