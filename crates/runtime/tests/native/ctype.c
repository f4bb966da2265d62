/* <ctype.h> and glibc's tables, over their whole domain. */
#include "harness.h"

const unsigned short **rt___ctype_b_loc(void);
const int **rt___ctype_tolower_loc(void), **rt___ctype_toupper_loc(void);

#define CLASSES(f) f(alnum) f(alpha) f(blank) f(cntrl) f(digit) f(graph) f(lower) f(print) f(punct) f(space) f(upper) f(xdigit)
#define DECLARE(class) int rt_is##class(int);
CLASSES(DECLARE)
int rt_tolower(int), rt_toupper(int), rt_isascii(int), rt_toascii(int);

int main(void) {
  for (int c = -128; c < 256; c++) {
    CHECK((*rt___ctype_b_loc())[c] == (*__ctype_b_loc())[c], "%d: %x", c, (*rt___ctype_b_loc())[c]);
    CHECK((*rt___ctype_tolower_loc())[c] == (*__ctype_tolower_loc())[c], "%d", c);
    CHECK((*rt___ctype_toupper_loc())[c] == (*__ctype_toupper_loc())[c], "%d", c);
  }
  for (int c = -1; c < 256; c++) {
#define COMPARE(class) CHECK(!rt_is##class(c) == !is##class(c), "%d", c);
    CLASSES(COMPARE)
    CHECK(rt_tolower(c) == tolower(c) && rt_toupper(c) == toupper(c), "%d", c);
    CHECK(!rt_isascii(c) == !isascii(c) && rt_toascii(c) == toascii(c), "%d", c);
  }
  return finish();
}
