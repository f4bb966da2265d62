/* The functions of the Competition on Software Verification. Each symbol is named after its type. */
#include "libc.h"

#define NONDET(name, type)                                                                                             \
  PUBLIC type __VERIFIER_nondet_##name(void) {                                                                         \
    type x;                                                                                                            \
    klee_make_symbolic(&x, sizeof x, #name);                                                                           \
    return x;                                                                                                          \
  }

NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(s8, int8_t)
NONDET(u8, uint8_t)
NONDET(s16, int16_t)
NONDET(u16, uint16_t)
NONDET(s32, int32_t)
NONDET(u32, uint32_t)
NONDET(S32, int32_t)
NONDET(U32, uint32_t)
NONDET(s64, int64_t)
NONDET(u64, uint64_t)
NONDET(size_t, size_t)
NONDET(loff_t, long long)
NONDET(off_t, long)
NONDET(sector_t, unsigned long)
NONDET(pthread_t, unsigned long)
NONDET(float, float)
NONDET(double, double)
NONDET(pointer, void *)
NONDET(ptr, void *)
NONDET(pchar, char *)
NONDET(charp, char *)
NONDET(const_char_pointer, const char *)
#ifdef __SIZEOF_INT128__
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
#endif

/* A byte that is 0 or 1: no other is a _Bool. */
static bool nondet_bool(const char *name) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, name);
  klee_assume(x <= 1);
  return x & 1;
}
PUBLIC bool __VERIFIER_nondet_bool(void) { return nondet_bool("bool"); }
PUBLIC bool __VERIFIER_nondet__Bool(void) { return nondet_bool("_Bool"); }

PUBLIC void __VERIFIER_nondet_memory(void *start, size_t size) { klee_make_symbolic(start, size, "memory"); }

PUBLIC void __VERIFIER_assume(int condition) { klee_assume(condition != 0); }

PUBLIC NORETURN void reach_error(void) { __mneme_reach_error(); }
PUBLIC NORETURN void __VERIFIER_error(void) { __mneme_reach_error(); }

PUBLIC void __VERIFIER_assert(int condition) {
  if (!condition)
    reach_error();
}

/* There is one thread: everything is atomic. */
PUBLIC void __VERIFIER_atomic_begin(void) {}
PUBLIC void __VERIFIER_atomic_end(void) {}
