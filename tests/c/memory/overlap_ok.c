/* Copies that may be: onto itself, side by side, of nothing, and with memmove. */
#include <assert.h>
#include <mneme.h>
#include <stdio.h>
#include <string.h>

struct pair {
  int a, b;
};

int main(void) {
  char text[32] = "0123456789", other[32] = "abc";
  unsigned n = mneme_uint("n");
  mneme_assume(n <= 8);
  memmove(text + 4, text, n);
  memcpy(text + 8, text, n);
  memcpy(text, text, n);
  memcpy(text + 1, text, 0);
  struct pair pairs[3] = {{1, 2}, {3, 4}, {5, 6}};
  struct pair *p = &pairs[n % 3], *q = &pairs[n / 3];
  *p = *q;
  assert(p->a == q->a && p->b == q->b);
  strcpy(text, "abcdef");
  strcpy(text + 7, text);
  strncpy(text, text + 3, 3);
  strcat(other, other + 3);
  strcat(other, text + 8);
  snprintf(NULL, 0, "%s", text);
  snprintf(text, 0, "%s", text);
  sprintf(other + 9, "%s", other);
  return strcmp(other, "abcbcdef") | strcmp(other + 9, other) | strcmp(text, "defdef");
}

// RUN:
// RUN: --m32
// VALUES: 0
// EXACT: true
