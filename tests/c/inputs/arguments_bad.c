/* Symbolic arguments, by options and in KLEE's spelling: their number, lengths and characters are open. */
#include <string.h>

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "-n") == 0)
    return 1 / (argv[2][0] - '0'); // FAULT[!dashless]: division-by-zero
  return argc - 1;
}

// MODELS: objects
// RUN: --sym-args 0 2 2
// RUN: -- --sym-args 0 2 2
// RUN: -- -n --sym-arg 1 #one
// RUN: --sym-arg 1 -- -n #one
// RUN: --sym-args 2 2 2 --sym-args-no-dash #dashless
// FAULTED[!dashless]: 1
