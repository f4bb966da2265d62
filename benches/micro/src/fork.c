/* A state with 1,000 heap objects and 20 frames. */
#include <stdlib.h>

void fork_here(void);

static void deep(int frames) {
  if (frames > 1)
    deep(frames - 1);
  else
    fork_here();
}

int main(void) {
  for (int i = 0; i < 1000; i++) {
    char *p = malloc(64);
    for (int k = 0; k < 64; k++)
      p[k] = (char)i;
  }
  deep(19);
  return 0;
}
