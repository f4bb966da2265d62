/* Copies between ranges of one object that overlap: with memcpy for lengths beyond the distance only. */
#include <mneme.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

struct pair {
  char a[6], b[6];
};

int main(void) {
  char text[32] = "0123456789";
  unsigned n = mneme_uint("n");
  switch (mneme_uint("which")) {
  case 0:
    mneme_assume(n <= 8);
    memcpy(text + 4, text, n); // FAULT: overlapping-copy
    return text[4];
  case 1:
    memcpy(text, text + n % 4, 4); // FAULT: overlapping-copy
    return 1;
  case 2:
    mneme_assume(n <= 20);
    strcpy(text + n, text); // FAULT: overlapping-copy
    return 1;
  case 3:
    strcat(text, text + 5); // FAULT: overlapping-copy
    return 2;
  case 4:
    strncpy(text, text + 3, 5); // FAULT: overlapping-copy
    return 3;
  case 5:
    strncat(text + 2, text, 3); // FAULT: overlapping-copy
    return 4;
  case 6:
    sprintf(text, "%s!", text); // FAULT: overlapping-copy
    return 5;
  case 7:
    snprintf(text, sizeof text, "0%s", text + 1); // FAULT: overlapping-copy
    return 6;
  case 8: {
    wchar_t wide[8] = L"wide";
    wcscpy(wide + 1, wide); // FAULT: overlapping-copy
    return 7;
  }
  case 9: {
    struct pair p = {"hello", "world"};
    struct pair *q = (struct pair *)(p.a + n % 2);
    *q = p; // FAULT: overlapping-copy
    return 1;
  }
  }
  return 0;
}

// RUN:
// RUN: --m32
// VALUES: 0*1 1*3 52*1
// EXACT: true
