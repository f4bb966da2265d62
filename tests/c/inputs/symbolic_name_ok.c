/* A name from outside is that of a file which the path knows, or of none. */
#include <stdio.h>

int main(int argc, char **argv) {
  FILE *f = fopen(argv[1], "r");
  return f == NULL ? 1 : fgetc(f) == EOF ? 2 : 3;
}

// MODELS: objects
// RUN: -- --sym-arg 1 --sym-files 1 1
// EXACT: true
// VALUES: 1 2 3
