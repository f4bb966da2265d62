/* Uninitialised memory that decides no branch, but what is printed. */
#include <stdio.h>

int main(void) {
  int x;
  printf("%d\n", x); // FAULT: uninitialized-read
  return 0;
}
