/* Counters that wrap around: of unsigned types that is the language's arithmetic. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  unsigned char start;
  klee_make_symbolic(&start, sizeof start, "start");
  klee_assume(start >= 250);
  unsigned rounds = 0;
  for (unsigned char c = start; c != 3; c++)
    rounds++;
  assert(rounds == 259u - start);
  rounds = 0;
  for (unsigned char c = start; c >= 250; c++)
    rounds++;
  assert(rounds == 256u - start);
  unsigned n = start - 250;
  rounds = 0;
  for (unsigned i = n; i <= n; i--)
    rounds++;
  assert(rounds == n + 1);
  unsigned twos = 0;
  for (unsigned char c = start; c != (unsigned char)(start + 6); c += 2)
    twos++;
  assert(twos == 3);
  return 0;
}

// PATHS[planes]: <= 3
