/* A search stores nothing: one counter for all the places where it may end. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  char s[100];
  klee_make_symbolic(s, sizeof s, "s");
  s[99] = 0;
  int n = 0;
  while (s[n])
    n++;
  assert(n <= 99);
  assert(s[n] == 0);
  if (n > 3)
    assert(s[3] != 0);
  char wanted;
  klee_make_symbolic(&wanted, sizeof wanted, "wanted");
  int at = -1;
  for (int i = 0; i < n; i++)
    if (s[i] == wanted) {
      at = i;
      break;
    }
  if (at > 1)
    assert(s[0] != wanted && s[1] != wanted && s[at] == wanted);
  return 0;
}

// PATHS[planes]: <= 16
