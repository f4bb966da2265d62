/* A file outside the root is not looked at. */
#include <stdio.h>

int main(void) {
  FILE *f = fopen("/etc/hostname", "r");
  return f == NULL;
}

// STOPS: the file `/etc/hostname`, which lies outside --root
