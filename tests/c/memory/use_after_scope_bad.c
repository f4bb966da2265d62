/* The block that declares the variable has ended. */
int main(void) {
  int *p;
  {
    int inner = 3;
    p = &inner;
  }
  return *p; // FAULT: use-after-scope
}

// PATHS: 0
// FAULTED: 1
