/* The program's arguments arrive, and argv ends with NULL. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argv[argc] != NULL)
    return 100;
  if (argc == 1)
    return 0;
  if (strcmp(argv[1], "two words") == 0)
    return 20 + argc;
  return atoi(argv[1]) + argc;
}

// RUN:
// RUN: -- 40 x y
// RUN: -- 'two words' ''
// PATHS: 1
// VALUES[1]: 0*1
// VALUES[2]: 44*1
// VALUES[3]: 23*1
// EXACT[1]: false
// EXACT[2, 3]: true
