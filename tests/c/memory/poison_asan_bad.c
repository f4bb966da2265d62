/* The same with a fault: a buffer whose unused tail is poisoned is read at a symbolic place. */
#include <mneme.h>
#include <sanitizer/asan_interface.h>

int main(void) {
  static _Alignas(8) int values[8] = {1, 2, 3, 4};
  unsigned i = mneme_uint("i");
  mneme_assume(i < 8);
  ASAN_POISON_MEMORY_REGION(values + 4, 16);
  return values[i]; // FAULT: use-of-poisoned
}

// FAULTED: 1
