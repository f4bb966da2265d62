/* What is in a file that the program did not make is not known. */
#include <stdio.h>

int main(void) {
  FILE *f = fopen("/etc/hostname", "r");
  return f == NULL;
}

// STOPS: the file `/etc/hostname`
