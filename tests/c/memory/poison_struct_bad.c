/* Poison inside of a structure in a pool: a library function walks into it. */
#include <mneme.h>
#include <string.h>

static struct {
  char head[8], rest[8];
} pool;

int main(void) {
  mneme_poison(pool.rest, sizeof pool.rest);
  unsigned n = mneme_uint("n");
  mneme_assume(n <= 9);
  memset(pool.head, 'x', n); // FAULT: use-of-poisoned
  return 0;
}
