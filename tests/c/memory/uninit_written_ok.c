/* Every byte that is written out has been written before. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct padded {
  char c;
  int n;
};

int main(void) {
  struct padded a;
  char line[32];
  memset(&a, 0, sizeof a);
  a.c = 1;
  write(1, &a, sizeof a);
  int length = sprintf(line, "%d %s\n", a.c, "text");
  fwrite(line, 1, (size_t)length, stdout);
  return 0;
}
