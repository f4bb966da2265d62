/* As in SV-COMP: a variable that was never set may have any value. */
int main(void) {
  int x;
  if (x == 5)
    return 1;
  return 0;
}

// RUN: --uninit any
// PATHS: 2
// VALUES: 0*1 1*1
