/* A verification task in the style of SV-COMP: the error function is reachable for one input. */
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned char y = __VERIFIER_nondet_uchar();
  if (x == 1000 + y)
    if (y == 77)
      reach_error(); // FAULT: reach-error
  return 0;
}

// PATHS: 2
// FAULTED: 1
