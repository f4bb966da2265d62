/* Two symbolic digits make a number; so does text with a sign, blanks and a base. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char s[3];
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume((s[0] >= '0') & (s[0] <= '9') & (s[1] >= '0') & (s[1] <= '9') & (s[2] == 0));
  assert(atoi(s) == (s[0] - '0') * 10 + (s[1] - '0'));
  char *end;
  assert(strtol("  -0x1fz", &end, 16) == -31);
  assert(*end == 'z');
  assert(strtoul("777", NULL, 8) == 511);
  return 0;
}

// EXACT: true
