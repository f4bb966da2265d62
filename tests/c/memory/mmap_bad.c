/* Pages from mmap: zeros at first, nothing behind their end, nothing where they may not be accessed or are given back. */
#include <assert.h>
#include <klee/klee.h>
#include <sys/mman.h>

int main(void) {
  int which;
  klee_make_symbolic(&which, sizeof which, "which");
  char *p = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(p != MAP_FAILED && p[0] == 0 && p[9999] == 0);
  p[12287] = 1;
  if (which == 0)
    p[12288] = 1; // FAULT: out-of-bounds-write
  if (which == 1) {
    mprotect(p + 4096, 4096, PROT_NONE);
    p[4095] = p[8192] = 1;
    p[4096] = 1; // FAULT: use-of-poisoned
  }
  if (which == 2) {
    munmap(p, 10000);
    p[0] = 1; // FAULT: use-after-free
  }
  assert(mmap((void *)0x10000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED);
  return munmap(p, 10000);
}

// PATHS: 1
// FAULTED: 3
