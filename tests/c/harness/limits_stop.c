/* An endless loop ends at the limit of instructions: a counted stop, not silence. */
int main(void) {
  volatile unsigned n = 0;
  for (;;)
    n++;
}

// RUN: --max-instructions 10000
// PATHS: 0
// STOPS: instructions
// EXACT: false
