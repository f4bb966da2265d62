/* A variable of a loop body is a new one in each round, and usable in it through a pointer. */
int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    int square = i * i;
    int *p = &square;
    sum += *p;
  }
  return sum;
}

// PATHS: 1
// VALUES: 14*1
// EXACT: true
