/* Assembly that does something ends the path. */
int main(void) {
  int x;
  __asm__("movl $3, %0" : "=r"(x));
  return x;
}

// STOPS: inline assembly
