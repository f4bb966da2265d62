/* Characters that are pushed back are read again, the last one first: after scanf has looked ahead, and several of them. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  FILE *f = tmpfile();
  char text[8] = "";
  int n;
  fputs("77\nrest", f);
  rewind(f);
  assert(fscanf(f, "%d", &n) == 1 && n == 77);
  assert(ungetc('Z', f) == 'Z' && fgetc(f) == 'Z' && fgetc(f) == '\n' && ftell(f) == 3);
  assert(ungetc('b', f) == 'b' && ungetc('a', f) == 'a' && ftell(f) == 1);
  assert(fread(text, 1, 4, f) == 4 && !strcmp(text, "abre"));
  assert(fgetc(f) == 's' && fgetc(f) == 't' && fgetc(f) == EOF && feof(f));
  assert(ungetc('!', f) == '!' && !feof(f) && fgetc(f) == '!' && fgetc(f) == EOF);
  return fclose(f);
}

// RUN:
// RUN: --m32
// VALUES: 0*1
// EXACT: true
