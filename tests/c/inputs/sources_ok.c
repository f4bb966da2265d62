/* The environment, random numbers and the clock. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void) {
  const char *mode = getenv("MODE");
  assert(getenv("MODE") == mode);
  time_t first = time(NULL);
  assert(time(NULL) >= first);
  if (mode != NULL && strcmp(mode, "a") == 0)
    if (rand() == 7)
      return 1;
  return 0;
}

// MODELS: objects
// RUN: --sym-env MODE 1 --sym-rand --sym-time
// RUN: --sym all
// RUN: #concrete
// EXACT[!concrete]: true
// EXACT[concrete]: false
// VALUES[concrete]: 0*1
// VALUES[!concrete]: 0 1
