/* 100,000 calls with small frames fit the stack, and so does what a block with a variable-length array gives back. */
static int count(int n) { return n == 0 ? 0 : 1 + count(n - 1); }

static int blocks(int n) {
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    volatile char local[n];
    local[n - 1] = 1;
    sum += local[n - 1];
  }
  return sum;
}

int main(void) { return (count(100000) == 100000) + (blocks(1 << 20) == 100); }

// RUN:
// RUN: --m32
// VALUES: 2*1
// EXACT: true
