/* What harnesses for CBMC call: nondet_* for inputs, each named after its type, and __CPROVER_*. Harnesses need not
 * declare these functions, so conditions are ints. */
#include "libc.h"

#define NONDET(name, type)                                                                                             \
  PUBLIC type nondet_##name(void) {                                                                                    \
    type x;                                                                                                            \
    klee_make_symbolic(&x, sizeof x, #name);                                                                           \
    return x;                                                                                                          \
  }

NONDET(char, char)
NONDET(schar, signed char)
NONDET(signed_char, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(unsigned_short, unsigned short)
NONDET(int, int)
NONDET(signed, int)
NONDET(signed_int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(unsigned_long, unsigned long)
NONDET(longlong, long long)
NONDET(long_long, long long)
NONDET(ulonglong, unsigned long long)
NONDET(unsigned_long_long, unsigned long long)
NONDET(int8, int8_t)
NONDET(int16, int16_t)
NONDET(int32, int32_t)
NONDET(int64, int64_t)
NONDET(uint8, uint8_t)
NONDET(uint16, uint16_t)
NONDET(uint32, uint32_t)
NONDET(uint64, uint64_t)
NONDET(int8_t, int8_t)
NONDET(int16_t, int16_t)
NONDET(int32_t, int32_t)
NONDET(int64_t, int64_t)
NONDET(uint8_t, uint8_t)
NONDET(uint16_t, uint16_t)
NONDET(uint32_t, uint32_t)
NONDET(uint64_t, uint64_t)
NONDET(size_t, size_t)
NONDET(ssize_t, ptrdiff_t)
NONDET(ptrdiff_t, ptrdiff_t)
NONDET(intptr_t, intptr_t)
NONDET(uintptr_t, uintptr_t)
NONDET(float, float)
NONDET(double, double)

/* A byte that is 0 or 1: no other is a _Bool. */
static bool truth(const char *name) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, name);
  klee_assume(x <= 1);
  return x & 1;
}
PUBLIC bool nondet_bool(void) { return truth("bool"); }
PUBLIC bool nondet__Bool(void) { return truth("_Bool"); }

PUBLIC void __CPROVER_assume(int condition) { klee_assume(condition != 0); }

PUBLIC void __CPROVER_assert(int condition, const char *description) {
  if (!condition)
    __mneme_assert_fail(description, NULL, 0, "");
}
/* Without <assert.h>, which such harnesses need not include either. */
PUBLIC void assert(int condition) { __CPROVER_assert(condition, "assertion"); }
PUBLIC void __CPROVER_precondition(int condition, const char *description) {
  if (!condition)
    __mneme_assert_fail(description, NULL, 0, "");
}
PUBLIC void __CPROVER_postcondition(int condition, const char *description) {
  if (!condition)
    __mneme_assert_fail(description, NULL, 0, "");
}
