/* Truth values that were stored as such, copied, compared and passed on. */
#include <mneme.h>
#include <stdbool.h>
#include <string.h>

struct flags {
  bool set[4];
};

static bool any(const struct flags *flags) {
  bool found = false;
  for (int i = 0; i < 4; i++)
    found |= flags->set[i];
  return found;
}

int main(void) {
  struct flags flags = {{0}}, copy;
  int x = mneme_int("x");
  flags.set[2] = x;
  flags.set[3] = x > 5;
  memcpy(&copy, &flags, sizeof copy);
  return any(&copy) != (x != 0);
}

// RUN:
// RUN: -O2
// VALUES: 0
// EXACT: true
