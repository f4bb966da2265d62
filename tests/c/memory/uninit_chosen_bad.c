/* A condition on unwritten memory is the error, even where the compiler makes a choice between two values of the branch and its result
 * matters only later. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int *p = malloc(2 * sizeof *p);
  p[0] = 1;
  int seen = 0;
  if (p[1] > 4) // FAULT: uninitialized-read
    seen = 1;
  free(p);
  printf("%d\n", seen);
  return 0;
}
