/* A path chooses by addresses four times, and sees them as they are from then on; a number is not looked for where bits were seen before; what
 * the library has looked at is where it was then, and objects that a loop made together stay where they are. No run of these says that all
 * paths were explored. */
// RUN: -DMANY #many
// RUN: -DLATE #late
// RUN: -DAFTER #after
// RUN: -DCOMPARED #compared
// RUN: -DTOGETHER #together
// MODELS[together]: planes
#include <assert.h>
#include <mneme.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *p = malloc(64);
#ifdef AFTER
  if ((uintptr_t)p & 16)
    return 1;
  assert(p != (char *)0x80000000);
#elif defined COMPARED
  char *q = malloc(8);
  assert(memcmp(&p, &q, sizeof p));
  assert(((uintptr_t)p & 16) == ((uintptr_t)p & 48));
#elif defined TOGETHER
  unsigned n = mneme_uint("n"), k = mneme_uint("k");
  char *rows[20];
  mneme_assume(n <= 20 && k < n);
  for (unsigned i = 0; i < n; i++)
    rows[i] = malloc(3);
  if ((uintptr_t)rows[k] & 16)
    return 2;
#else
  for (int i = 0; i < 4; i++)
    if ((uintptr_t)malloc(8) & 16)
      return 1;
#ifdef MANY
  assert((((uintptr_t)p >> 4) & 1) == 0);
#else
  assert(p != (char *)0x80000000);
#endif
#endif
  return 0;
}

// EXACT: false
