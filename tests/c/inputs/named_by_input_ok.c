/* Files that inputs name: with --sym all one of them may be there, and without it the run says that none was. */
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2)
    return 9;
  FILE *f = fopen(argv[1], "r");
  if (f == NULL)
    return 1;
  int c = fgetc(f);
  if (c == EOF)
    return 2;
  if (c == 'x')
    return 3;
  return 4;
}

// MODELS: objects
// RUN: --sym all --sym-arg 1 #all
// RUN: --sym-arg 1 #none
// VALUES[all]: 1*3 2*3 3*2 4*2
// VALUES[none]: 1*2 2*2
// EXACT[all]: true
// EXACT[none]: false
