/* A sum that starts at nothing: what is computed from an undefined number is undefined, too. */
#include <stdio.h>

int main(void) {
  double sum, step = 0.5;
  for (int i = 0; i < 3; i++)
    sum += step;
  if ((int)(sum * 2) > 3) // FAULT: uninitialized-read
    return 1;
  return 0;
}

// FAULTED: 1
