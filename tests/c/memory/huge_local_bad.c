/* A local variable that no stack has room for. */
#include <mneme.h>
#include <stddef.h>

static int use(size_t n) {
  char local[n]; // FAULT: stack-exhaustion
  local[n - 1] = 1;
  return local[n - 1];
}

int main(void) {
  if (mneme_bool("huge"))
    return use((size_t)1 << 40);
  return use(16);
}

// VALUES: 1*1
// FAULTED: 1
