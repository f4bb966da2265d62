/* Calls of the file layer fail, or do a part: what a program forgets to expect. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char block[4];
  int fd = open("data", O_RDONLY);
  if (fd < 0)
    return 1;
  long count = read(fd, block, 4);
  if (count < 0)
    return 2;
  if (count == 1)
    return 3;
  FILE *out = fopen("copy", "w");
  fputc('a', out); // FAULT[failing]: null-dereference
  return fclose(out) == 0 ? 0 : 4;
}

// MODELS: objects
// RUN: --sym-file data 4 --sym-failures 1 #failing
// RUN: --sym-file data 4 #working
// VALUES[failing]: 0 1 2 3 4
// VALUES[working]: 0 3
// EXACT: true
