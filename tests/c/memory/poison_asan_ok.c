/* AddressSanitizer's macros work without -fsanitize=address; what is unpoisoned again can be used, and a block with poison in it
 * can be reallocated and freed. */
#include <assert.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *block = malloc(64);
  if (block == NULL)
    return 0;
  memset(block, 7, 64);
  ASAN_POISON_MEMORY_REGION(block + 32, 32);
  assert(__asan_address_is_poisoned(block + 40) && !__asan_address_is_poisoned(block + 8));
  assert(__asan_region_is_poisoned(block, 64) == block + 32);
  ASAN_UNPOISON_MEMORY_REGION(block + 32, 8);
  block[39] = 1;
  char *larger = realloc(block, 128);
  if (larger == NULL)
    return 0;
  assert(larger[40] == 7);
  ASAN_POISON_MEMORY_REGION(larger, 64);
  free(larger);
  return 3; // VALUES: 3
}

// PATHS: 1
