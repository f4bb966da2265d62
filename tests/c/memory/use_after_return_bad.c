/* The address of a local variable survives in a global. */
static int *kept;

static void keep(int v) {
  int local = v;
  kept = &local;
}

int main(void) {
  keep(1);
  keep(2);
  return *kept; // FAULT: use-after-return
}

// PATHS: 0
// FAULTED: 1
