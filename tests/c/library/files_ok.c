/* A program reads back what it wrote to files of its own: streams, positions, appending, redirection, removal. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char name[L_tmpnam], text[32] = "";
  assert(tmpnam(name) == name);
  FILE *f = fopen(name, "w");
  assert(f && fprintf(f, "%d %s\n", 12, "words") == 9 && fputc('x', f) == 'x' && fclose(f) == 0);
  f = fopen(name, "a");
  assert(fputs("yz", f) >= 0 && !fclose(f));
  f = fopen(name, "r+");
  int number;
  assert(fscanf(f, "%d %31s", &number, text) == 2 && number == 12 && !strcmp(text, "words"));
  assert(ftell(f) == 8 && !fseek(f, -3, SEEK_END) && fgets(text, sizeof text, f) && !strcmp(text, "xyz"));
  assert(fgetc(f) == EOF && feof(f));
  rewind(f);
  assert(!feof(f) && fwrite("34", 1, 2, f) == 2 && !fseek(f, 0, SEEK_SET) && fread(text, 1, 4, f) == 4);
  assert(!memcmp(text, "34 w", 4) && !fclose(f) && !remove(name));
  FILE *temporary = tmpfile();
  fputs("kept", temporary);
  rewind(temporary);
  assert(fgets(text, sizeof text, temporary) && !strcmp(text, "kept"));
  fclose(temporary);
  assert(freopen(name, "w", stdout) == stdout);
  printf("to a file");
  fclose(stdout);
  f = fopen(name, "r");
  assert(fgets(text, sizeof text, f) && !strcmp(text, "to a file"));
  fclose(f);
  return 0;
}

// RUN:
// RUN: --m32
// VALUES: 0*1
// EXACT: true
