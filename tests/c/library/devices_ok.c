/* The files that every system has, and those that a program makes with open. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char text[8] = "abcdefg";
  int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_RDWR);
  assert(read(zero, text, 3) == 3 && memcmp(text, "\0\0\0defg", 8) == 0);
  assert(write(null, text, 8) == 8 && read(null, text, 8) == 0);
  FILE *sink = fopen("/dev/null", "w");
  assert(sink != NULL && fprintf(sink, "%d", 42) == 2 && fclose(sink) == 0);
  int made = open("made", O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert(write(made, "xyz", 3) == 3 && lseek(made, 1, SEEK_SET) == 1 && read(made, text, 8) == 2);
  assert(text[0] == 'y' && text[1] == 'z');
  assert(open("made", O_RDWR | O_CREAT | O_EXCL, 0600) == -1);
  return close(made) | close(zero) | close(null);
}

// VALUES: 0*1
// EXACT: true
