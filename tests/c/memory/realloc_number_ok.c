/* realloc of a number that is the address of a block: it is moved, and the result is a pointer to it. */
#include <assert.h>
#include <mneme.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *p = malloc(16), *other = malloc(16);
  p[3] = 7;
  /* The library has looked at both: from here on they are numbers. */
  assert(memcmp(&p, &other, sizeof p));
  uintptr_t key = mneme_uint("key");
  volatile uintptr_t hidden = (uintptr_t)p ^ key;
  p = realloc((void *)(hidden ^ key), 32);
  p[31] = 1;
  assert(p[3] == 7);
  free(p);
  free(other);
  return 0;
}

// PATHS: 1
