/* Loops of concrete code for the interpreter, one kind of instruction at a time: what an instruction costs. */
#include <stdlib.h>

enum { ROUNDS = 200000 };

static unsigned twist(unsigned x) { return x * 2654435761u ^ x >> 7; }

int main(void) {
  unsigned sum = 0;
#if defined ARITHMETIC
  for (unsigned i = 0; i < ROUNDS; i++)
    sum = (sum << 3 | sum >> 29) + (i ^ sum % 7) * 5;
#elif defined MEMORY
  unsigned *table = malloc(64 * sizeof *table);
  for (unsigned i = 0; i < 64; i++)
    table[i] = i;
  for (unsigned i = 0; i < ROUNDS; i++)
    table[i & 63] += table[(i * 7) & 63];
  sum = table[5];
  free(table);
#elif defined CALLS
  for (unsigned i = 0; i < ROUNDS; i++)
    sum += twist(i);
#endif
  return sum == 0;
}
