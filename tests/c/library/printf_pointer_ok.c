/* The digits of an address: printed, they are nobody's business; in a buffer they are those of one place of many, and the run does not say
 * that all paths were explored. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(16);
#ifdef BUFFER
  char text[40];
  sprintf(text, "%p", (void *)p);
  return text[10] == '0';
#else
  printf("%p\n", (void *)p);
  return 0;
#endif
}

// RUN: #printed
// RUN: -DBUFFER #buffer
// EXACT[printed]: true
// EXACT[buffer]: false
// PATHS: 1
