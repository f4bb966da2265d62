/* `p - s` after nested loops whose paths become one is a number, not an address. */
// RUN: -DN=4 #auto
// RUN: -DN=4 --merge tree
// RUN: -DN=5 --merge tree
// RUN: -DN=6 --merge tree
// RUN: -DN=5 --merge loops
// RUN: -DN=6 --merge loops
// MODELS[!auto]: objects planes
#include <mneme.h>

static int scan(void) {
  char s[N + 1];
  mneme_symbolic(s, N, "s");
  s[N] = 0;
  char *p = s;
  while (*p) {
    while (*p == 1)
      p++;
    char *b = p;
    while (*p == 2)
      p++;
    if (p == b)
      break;
  }
  return (int)(p - s);
}

int main(void) {
  int d = scan();
  if (d == 0)
    return 0;
  if (d == 1)
    return 1;
  if (d == 2)
    return 2;
  if (d == 3)
    return 3;
  if (d == 4)
    return 4;
  return 5;
}

// VALUES[1, 2]: 0 1 2 3 4
// VALUES[!1 !2]: 0 1 2 3 4 5
// PATHS[!auto]: <= 6
// EXACT: true
