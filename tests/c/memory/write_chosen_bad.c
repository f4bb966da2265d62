/* Which object is written out depends on the input, and nobody wrote one of them. */
#include <mneme.h>
#include <unistd.h>

int main(void) {
  char written[2] = "ab", unwritten[2];
  unsigned n = mneme_uint("n");
  write(1, n > 5 ? unwritten : written, 2); // FAULT: uninitialized-read
  return 0;
}
