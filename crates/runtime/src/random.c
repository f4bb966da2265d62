/* rand and random: the same sequences as glibc's, so that a test found here behaves the same when it is replayed; or
 * any numbers (--sym-rand). The replay library contains this file, too. The generator adds numbers 3 and 31 places back
 * (an additive feedback generator, x^31 + x^3 + 1). */
#include "libc.h"

enum { DEGREE = 31, SEPARATION = 3, DISCARDED = 310 };

static uint32_t state[DEGREE];
static int front, rear;
static bool seeded;

static uint32_t next(void) {
  uint32_t sum = state[front] += state[rear];
  front = front + 1 == DEGREE ? 0 : front + 1;
  rear = rear + 1 == DEGREE ? 0 : rear + 1;
  return sum >> 1;
}

/* A symbolic number if asked for, else `otherwise`. */
static int number(int (*otherwise)(unsigned *), unsigned *seed) {
  if (!__mneme_inputs.random) {
    __mneme_stays_concrete("random numbers", NULL, "--sym-rand");
    return otherwise(seed);
  }
  int value;
  klee_make_symbolic(&value, sizeof value, "rand");
  klee_assume(value >= 0);
  return value;
}

PUBLIC void srandom(unsigned seed) {
  int64_t word = seed == 0 ? 1 : (int32_t)seed;
  state[0] = (uint32_t)word;
  for (int i = 1; i < DEGREE; i++) { /* the minimal standard generator, 16807 · x mod 2³¹-1 */
    word = 16807 * word % 2147483647;
    if (word < 0)
      word += 2147483647;
    state[i] = (uint32_t)word;
  }
  front = SEPARATION;
  rear = 0;
  seeded = true;
  for (int i = 0; i < DISCARDED; i++)
    next();
}

static int from_state(unsigned *seed) {
  (void)seed;
  if (!seeded)
    srandom(1);
  return (int)next();
}

PUBLIC long random(void) { return number(from_state, NULL); }

PUBLIC void srand(unsigned seed) { srandom(seed); }
PUBLIC int rand(void) { return (int)random(); }

/* Three steps of a linear congruential generator, of which the high bits are taken. */
static int from_seed(unsigned *seed) {
  static const unsigned bits[3] = {11, 10, 10};
  unsigned result = 0;
  for (int i = 0; i < 3; i++) {
    *seed = *seed * 1103515245 + 12345;
    result = result << bits[i] | (*seed >> 16 & ((1u << bits[i]) - 1));
  }
  return (int)result;
}

PUBLIC int rand_r(unsigned *seed) { return number(from_seed, seed); }

/* ---- numbers for secrets: with a concrete run, the same sequence ---- */

static int any_number(unsigned *seed) {
  (void)seed;
  if (!seeded)
    srandom(1);
  return (int)(next() ^ next() << 8);
}
PUBLIC uint32_t arc4random(void) {
  if (!__mneme_inputs.random)
    return (uint32_t)number(any_number, NULL);
  uint32_t value;
  klee_make_symbolic(&value, sizeof value, "rand");
  return value;
}
PUBLIC uint32_t arc4random_uniform(uint32_t bound) { return bound < 2 ? 0 : arc4random() % bound; }
PUBLIC void arc4random_buf(void *to, size_t size) {
  if (__mneme_inputs.random && size > 0)
    klee_make_symbolic(to, size, "rand");
  else
    for (size_t i = 0; i < size; i++)
      ((unsigned char *)to)[i] = (unsigned char)arc4random();
}
PUBLIC long getrandom(void *to, size_t size, unsigned flags) {
  (void)flags;
  arc4random_buf(to, size);
  return (long)size;
}
PUBLIC int getentropy(void *to, size_t size) {
  arc4random_buf(to, size);
  return 0;
}
