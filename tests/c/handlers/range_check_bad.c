/* A pointer that strays far from its object is reported before the access is resolved (symMMU, 4.1.1). */
// RUN: --handler range-check
// MODELS: objects
#include <mneme.h>

static char table[16];

int main(void) {
  size_t at = mneme_size("at");
  return table[at]; // FAULT: out-of-bounds-read
}

// PATHS: 1
// FAULTED: 2
