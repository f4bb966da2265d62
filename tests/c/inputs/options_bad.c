/* Options of a program, short and long, in any order; what is no option comes last. */
#include <getopt.h>
#include <stdlib.h>

static const struct option options[] = {{"all", no_argument, NULL, 'a'}, {"number", required_argument, NULL, 'n'}, {0}};

int main(int argc, char **argv) {
  static int table[10];
  int all = 0, number = 0, option;
  while ((option = getopt_long(argc, argv, "an:", options, NULL)) != -1) {
    if (option == 'a')
      all = 1;
    else if (option == 'n')
      number = atoi(optarg);
    else
      return 2;
  }
  if (all && number > 0 && optind < argc)
    return table[number]; // FAULT: out-of-bounds-read
  return 0;
}

// MODELS: objects
// RUN: --sym-args 1 1 2 -- x -a --num
// RUN: -- x -an10
// RUN: -- --number 11 --al x
