/* A string that is appended to itself overlaps its target, and does not fit: the latter comes first, as a native run shows. */
#include <mneme.h>
#include <string.h>

int main(void) {
  char s[12] = "aabaa";
  unsigned char x = mneme_uchar("x");
  mneme_assume(x <= 1);
  if (x) {
    strcat(s, s + 2); // FAULT: overlapping-copy
  } else {
    char t[6] = "aabaa";
    strcat(t, t + 2); // FAULT: out-of-bounds-write
  }
  return s[0];
}
