/* The padding of a structure that is copied is nobody's business until it is written to a file as it is. */
#include <unistd.h>

struct padded {
  char c;
  int n;
};

int main(void) {
  struct padded a, b;
  a.c = 1;
  a.n = 2;
  b = a;
  write(1, &b.n, sizeof b.n);
  write(1, &b, sizeof b); // FAULT: uninitialized-read
  return 0;
}
