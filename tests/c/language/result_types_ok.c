/* Functions that a caller declares with another result (here under a second name): it gets what the register holds, and nothing else
   of it changes. */
#include <assert.h>
extern int symbolic_flag(void) __asm__("__VERIFIER_nondet_bool");

signed char negative(void) { return -3; }
unsigned char byte(void) { return 200; }
int wide(void) { return 0x1234; }
void nothing(void) {}
extern int negative_int(void) __asm__("negative");
extern int byte_int(void) __asm__("byte");
extern unsigned char wide_byte(void) __asm__("wide");
extern void wide_unwanted(void) __asm__("wide");
extern int nothing_int(void) __asm__("nothing");

int main(void) {
  assert(negative_int() == -3);
  assert(byte_int() == 200);
  assert(wide_byte() == 0x34);

  int a = wide(), b;
  wide_unwanted();
  b = wide() + a;
  void (*through)(void) = (void (*)(void))wide;
  through();
  int c = a + b;
  assert(a == 0x1234 && b == 2 * a && c == 3 * a);
  (void)nothing_int();

  if (symbolic_flag())
    return 1;
  return 2;
}

// RUN:
// RUN: --m32
// PATHS: 2
// VALUES: 1 2
