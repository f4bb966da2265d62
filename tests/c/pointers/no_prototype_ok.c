// A call without a prototype may give arguments that the function does not look for, as old code does.
static int none() { return 7; }

int main(void) {
  int (*call)() = none;
  return call(1, 2) == 7 && call() == 7 ? 0 : 1;
}

// RUN: --clang-flag=-std=gnu11
// RUN: --clang-flag=-std=gnu11 --m32
// VALUES: 0*1
