/* The library has looked at an address, at the layout's place of the object; the program compares it with a number, and so the run does not
 * say that all paths were explored. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(16);
  p[0] = 0;
  printf("%s", "even" + ((uintptr_t)p >> 5 & 1));
  if (p == (char *)0x80000000)
    return 1;
  return 0;
}

// VALUES: 0
// EXACT: false
