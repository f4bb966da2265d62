/* A symbolic file, one that the program writes, and one that is not there. */
#include <stdio.h>
#include <string.h>

int main(void) {
  char text[4];
  if (fopen("absent", "r") != NULL)
    return 9;
  FILE *in = fopen("./data", "r"), *out = fopen(".//copy", "w");
  if (in == NULL || out == NULL)
    return 8;
  size_t n = fread(text, 1, sizeof text, in);
  if (fwrite(text, 1, n, out) != n || fclose(out) != 0 || (out = fopen("copy", "r")) == NULL)
    return 7;
  if (fgetc(out) == 'm' && fgetc(out) == 'n')
    return text[n]; // FAULT: out-of-bounds-read, uninitialized-read
  return 0;
}

// MODELS: objects
// RUN: --sym-file data 4
// EXACT: false
