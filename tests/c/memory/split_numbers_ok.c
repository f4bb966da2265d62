/* Splitting changes no value: a table of numbers in pieces, of which the last is shorter, is written and read at symbolic indices, as
 * words, as bytes, and across the border of two pieces. */
// RUN: --split 64 #auto
// RUN: --split 64 --tables off #arrays
// RUN: --split 48 --resolve merge --tables off #odd
// RUN: --split 128 --resolve fork --tables off #fork
// MODELS: objects
#include <assert.h>
#include <mneme.h>
#include <string.h>

#define N 100

static unsigned table[N];

static unsigned entry(unsigned i) { return i * 7 % 11 == 3 ? i : 5; }

int main(void) {
  for (unsigned i = 0; i < N; i++)
    table[i] = entry(i);
  unsigned i = mneme_uint("i"), w = mneme_uint("w");
  mneme_assume(i < N && w < N);
  unsigned at_i = entry(i), at_w = entry(w);
  assert(table[i] == at_i);
  table[w] = 1000;
  assert(table[w] == 1000);
  assert(table[i] == (i == w ? 1000 : at_i));
  /* Low bytes of the entries. */
  unsigned char *bytes = (unsigned char *)table;
  assert(bytes[4 * i] == (i == w ? 1000 % 256 : at_i));
  table[w] = at_w;
  /* Two bytes of one entry and two of the next. */
  unsigned cut;
  mneme_assume(i < N - 1);
  memcpy(&cut, bytes + 4 * i + 2, 4);
  assert(cut == entry(i + 1) << 16);
  return 0;
}

// PATHS[!fork]: 1
