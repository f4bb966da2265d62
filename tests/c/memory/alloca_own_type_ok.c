/* `alloca` declared with another type of size than the compiler's: objects of their own, aligned, gone with their function. */
// RUN:
// RUN: --m32
void *alloca(unsigned long long size);

static int sum(int n) {
  int *last = 0, total = 0;
  for (int i = 1; i <= n; i++) {
    int *row = alloca(i * sizeof *row);
    if (row == last || (unsigned long)row % 16 != 0)
      return -1;
    for (int j = 0; j < i; j++) row[j] = i;
    total += row[0] + row[i - 1];
    last = row;
  }
  return total;
}

int main(void) { return sum(4); }

// PATHS: 1
// VALUES: 20
