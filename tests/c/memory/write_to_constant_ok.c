/* An array initialised from a literal is the program's own. */
#include <string.h>

int main(void) {
  char text[] = "literal";
  text[0] = 'L';
  static char other[] = "static";
  other[5] = 'C';
  return strcmp(text, "Literal") == 0 && strcmp(other, "statiC") == 0 ? 0 : 1;
}

// PATHS: 1
// VALUES: 0*1
// EXACT: true
