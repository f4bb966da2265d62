/* A number in a record of 24 bytes at a symbolic index. Nothing looks at an address. */
// RUN: #plain
// RUN: -m32 #plain
// RUN: --split 8 --split-above 8
// RUN: --split 8 --split-above 8 -m32
// RUN: --split auto --split-above 64 --tables off
// MODELS[!plain]: objects
#include <mneme.h>

static const struct {
  const char *name;
  int arity;
  const char *help;
} cmds[] = {{"inc", 1, "a"}, {"dbl", 2, "b"}, {"neg", 1, "c"}, {"idt", 3, "d"}, {"xyz", 0, "e"}, {"foo", 2, "f"}};

int main(void) {
  unsigned i = mneme_uint("i"), j = mneme_uint("j");
  mneme_assume(i < 6 && j < 6);
  int n = 0;
  if (cmds[i].arity == 2)
    n += 1;
  if (cmds[j].arity == 1)
    n += 2;
  if (cmds[i].arity > cmds[j].arity)
    n += 4;
  /* Every number on a path of its own. */
  switch (n) {
  case 0: return 0;
  case 1: return 1;
  case 2: return 2;
  case 3: return 3;
  case 4: return 4;
  case 5: return 5;
  case 6: return 6;
  default: return 7;
  }
}

// VALUES: 0 1 2 4 5 6 7
// EXACT: true
