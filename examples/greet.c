/* Greets the names on standard input, or those on the command line. A name that is too long for its buffer is cut, and
 * the mark that says so is written one byte too far. */
#include <stdio.h>
#include <string.h>

enum { LONGEST = 6 };

static void greet(const char *name) {
  char text[LONGEST];
  size_t length = strlen(name);
  if (length >= LONGEST)
    length = LONGEST;
  memcpy(text, name, length);
  text[length] = '\0';
  printf("hello, %s\n", text);
}

int main(int argc, char **argv) {
  char line[16];
  for (int i = 1; i < argc; i++)
    greet(argv[i]);
  if (argc == 1 && fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    greet(line);
  }
  return 0;
}
