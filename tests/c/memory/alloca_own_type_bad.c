/* What `alloca` gives is on the stack, also when the program declares it with a type of its own: not to be freed, gone with its function. */
// RUN:
// RUN: -DRETURNED --m32
void *alloca(unsigned long long size);
void free(void *p);

static char *local(unsigned n) {
  char *p = alloca(n);
  p[n - 1] = 1;
  return p;
}

int main(void) {
#ifdef RETURNED
  return local(3)[2]; // FAULT[2]: use-after-return
#else
  free(alloca(10)); // FAULT[1]: invalid-free
  return 0;
#endif
}

// PATHS: 0
// FAULTED: 1
