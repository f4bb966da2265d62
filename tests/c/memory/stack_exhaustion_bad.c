/* A recursion without end. */
static int depth(int n) {
  volatile char frame[1024];
  frame[0] = (char)n;
  return depth(n + 1) + frame[0]; // FAULT: stack-exhaustion
}

int main(void) { return depth(0); }

// RUN: --max-stack 1000
// PATHS: 0
