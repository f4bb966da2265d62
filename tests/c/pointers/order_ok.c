/* Objects have an order, whatever it is: sorting pointers to them ends, and is the same order later. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p[3];
  for (int i = 0; i < 3; i++)
    p[i] = malloc(8);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if ((uintptr_t)p[j] > (uintptr_t)p[j + 1]) {
        char *t = p[j];
        p[j] = p[j + 1];
        p[j + 1] = t;
      }
  assert((uintptr_t)p[0] < (uintptr_t)p[1]);
  assert(p[1] < p[2]);
  assert(p[0] < p[2]);
  for (int i = 0; i < 3; i++)
    free(p[i]);
  return 0;
}

// PATHS: >= 1
