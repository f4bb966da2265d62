/* Every length from 1 on is one, also of a type without a sign and of a parameter's type. */
#include <mneme.h>

static int sum(int n, int values[n]) {
  int total = 0;
  for (int i = 0; i < n; i++)
    total += values[i];
  return total;
}

int main(void) {
  unsigned char n = mneme_uchar("n");
  mneme_assume(n >= 1 && n <= 3);
  int values[n];
  for (int i = 0; i < n; i++)
    values[i] = 1;
  return sum(n, values) != n;
}

// MODELS: objects
// VALUES: 0
// EXACT: true
