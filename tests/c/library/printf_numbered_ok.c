/* Arguments by number, in any order and of any type, widths and precisions among them; in wide formats and scanf, too. */
#include <assert.h>
#include <mneme.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

int main(void) {
  char text[64];
  assert(snprintf(text, sizeof text, "%1$d %2$s %1$d", 5, "pos") == 7 && !strcmp(text, "5 pos 5"));
  sprintf(text, "%3$*1$d|%4$.*2$f|%5$lld", 4, 1, 12, 2.25, 1ll << 40);
  assert(!strcmp(text, "  12|2.2|1099511627776"));
  sprintf(text, "%2$Lg %1$c %4$d", 'x', 0.5L, 1, 2);
  assert(!strcmp(text, "0.5 x 2"));
  wchar_t wide[32];
  assert(swprintf(wide, 32, L"%2$ls-%1$d", 7, L"w") == 3 && !wcscmp(wide, L"w-7"));
  int a, b;
  assert(sscanf("1 2", "%2$d %1$d", &a, &b) == 2 && a == 2 && b == 1);
  int x = mneme_uchar("x");
  sprintf(text, "%2$s%1$c", x, "is ");
  if (text[3] == 'q')
    return 1;
  return 0;
}

// RUN:
// RUN: --m32
// VALUES: 0*1 1*1
// EXACT: true
