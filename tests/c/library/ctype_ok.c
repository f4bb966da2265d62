/* The classes of characters, on all of them at once. */
#include <assert.h>
#include <ctype.h>
#include <klee/klee.h>

int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  if (isdigit(c))
    assert((c >= '0') & (c <= '9'));
  if (isupper(c))
    assert(tolower(c) == c + 32);
  assert(!isalpha(c) || isalnum(c));
  assert(!isspace(c) || !isprint(c) || c == ' ');
  return 0;
}

// EXACT: true
