/* Poison at a symbolic place: of each byte it is known on which paths it is poisoned. */
#include <mneme.h>

int main(void) {
  char buffer[16] = {0};
  size_t used = mneme_size_between(0, 16, "used");
  mneme_poison(buffer + used, 16 - used);
  if (used > 10)
    return buffer[10];
  mneme_unpoison(buffer, 4);
  if (used <= 4)
    return buffer[3];
  return buffer[5]; // FAULT: use-of-poisoned
}

// FAULTED: 1
