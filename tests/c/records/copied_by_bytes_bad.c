/* A record with a pointer in it is copied byte by byte, within a table and at symbolic indices: the pointer is still the pointer to its block. */
// RUN: #plain
// RUN: -m32 #plain
// RUN: --tables off #plain
// RUN: --tables off --merge tree -m32 #plain
// RUN: --split 8 --split-above 8 #split
// RUN: --split auto --split-above 64 --tables off -m32 #split
// MODELS[split]: objects
#include <mneme.h>
#include <stdlib.h>

struct record {
  unsigned char tag[2];
  unsigned char *first;
  unsigned char *second;
};

int main(void) {
  unsigned char x = mneme_uchar("x");
  mneme_assume(x <= 15);
  struct record table[3] = {0};
  for (int j = 0; j < 3; j++) {
    table[j].tag[j % 2] = j + 8;
    table[j].first = calloc(3, 1);
    table[j].second = calloc(4, 1);
    table[j].second[3] = j + 1;
  }
  unsigned char *to = (unsigned char *)&table[x % 3], *from = (unsigned char *)&table[(x * 7 + 1) % 3];
  for (unsigned j = 0; j < sizeof(struct record); j++)
    to[j] = from[j];
  unsigned char last = table[x % 3].second[3];
  mneme_assert(last == (x * 7 + 1) % 3 + 1);
  return table[x % 3].second[x]; // FAULT: out-of-bounds-read
}

