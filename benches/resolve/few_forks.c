/* One of a few objects decides how a long computation goes: where a path for each of them computes with numbers, one path for all
   computes with conditional values. This is where forking wins. */
#include <mneme.h>
#ifndef ROUNDS
#define ROUNDS 2000
#endif

struct codec {
  unsigned start, step, limit;
};

static const struct codec codecs[2] = {{7, 3, 97}, {11, 5, 89}};

int main(void) {
  struct codec plain = codecs[0], packed = codecs[1];
  struct codec *codec = mneme_uint("format") & 1 ? &packed : &plain;
  unsigned sum = codec->start, wraps = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    sum += codec->step;
    if (sum > codec->limit) {
      sum -= codec->limit;
      wraps++;
    }
  }
  return wraps > ROUNDS / 20;
}
