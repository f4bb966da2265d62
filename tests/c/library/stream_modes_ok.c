/* A stream goes in the directions that it was opened for, and mode x does not open a file that is there. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>

int main(void) {
  FILE *f = fopen("t.tmp", "w");
  assert(fputs("ab", f) >= 0 && fgetc(f) == EOF && ferror(f));
  clearerr(f);
  char byte;
  assert(fread(&byte, 1, 1, f) == 0 && ferror(f) && !feof(f));
  fclose(f);
  f = fopen("t.tmp", "r");
  errno = 0;
  assert(fputc('z', f) == EOF && errno == EBADF && ferror(f));
  assert(fputs("z", f) == EOF && fwrite("zz", 1, 2, f) == 0 && fprintf(f, "%d", 1) < 0 && fputs("", f) >= 0);
  clearerr(f);
  assert(fgetc(f) == 'a' && fgetc(f) == 'b' && fgetc(f) == EOF && feof(f));
  fclose(f);
  errno = 0;
  assert(fopen("t.tmp", "wx") == NULL && errno == EEXIST && fopen("t.tmp", "ax") == NULL);
  assert(fputc('z', stdin) == EOF && fgetc(stdout) == EOF);
  remove("t.tmp");
  f = fopen("t.tmp", "w+x");
  assert(f && fputc('n', f) == 'n');
  fclose(f);
  remove("t.tmp");
  return 0;
}

// RUN:
// RUN: --m32
// VALUES: 0*1
// EXACT: true
