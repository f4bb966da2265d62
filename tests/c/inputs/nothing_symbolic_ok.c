/* A source of inputs that stays concrete is no complete exploration; arguments that nobody reads are no source. */
#include <stdio.h>

int main(int argc, char **argv) {
#ifdef ARGUMENTS
  return argc > 1;
#elif defined INPUT
  return getchar() == 'x';
#else
  return 0;
#endif
}

// MODELS: objects
// RUN: #plain
// RUN: -DARGUMENTS #source
// RUN: -DINPUT #source
// RUN: -DINPUT --sym-stdin 1 #symbolic
// EXACT[plain, symbolic]: true
// EXACT[source]: false
