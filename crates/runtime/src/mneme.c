/* Mneme's own interface: include/mneme.h, which documents it. */
#include "libc.h"

PUBLIC void mneme_symbolic(void *object, size_t size, const char *name) { klee_make_symbolic(object, size, name); }

/* Natively, an empty block has a byte that must not be read. */
__attribute__((weak)) void *__mneme_guarded(void *block, size_t size);

PUBLIC void *mneme_symbolic_buffer(size_t size, const char *name) {
  void *buffer = malloc(size);
  if (buffer == NULL)
    klee_silent_exit(0);
  if (__mneme_guarded != NULL)
    __mneme_guarded(buffer, size);
  klee_make_symbolic(buffer, size, name);
  return buffer;
}

PUBLIC char *mneme_symbolic_string(size_t size, const char *name) {
  char *text = mneme_symbolic_buffer(size, name);
  klee_assume(text[size - 1] == '\0');
  return text;
}

PUBLIC void mneme_assume(bool condition) { klee_assume(condition); }
PUBLIC void mneme_requires(bool condition) { klee_assume(condition); }
PUBLIC size_t mneme_extent(const void *pointer) { return __mneme_object_size((void *)pointer); }

PUBLIC NORETURN void mneme_assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  __mneme_assert_fail(expression, file, line, function);
}

PUBLIC NORETURN void mneme_discard(void) { klee_silent_exit(0); }
PUBLIC NORETURN void mneme_report(const char *message, const char *file, int line) { __mneme_report(message, file, line); }

PUBLIC void mneme_poison(const void *start, size_t size) { __mneme_poison(start, size); }
PUBLIC void mneme_unpoison(const void *start, size_t size) { __mneme_unpoison(start, size); }
PUBLIC void mneme_merge_open(void) { klee_open_merge(); }
PUBLIC void mneme_merge_close(void) { klee_close_merge(); }

#define MAKER(name, type)                                                                                              \
  PUBLIC type mneme_##name(const char *symbol) {                                                                       \
    type x;                                                                                                            \
    klee_make_symbolic(&x, sizeof x, symbol);                                                                          \
    return x;                                                                                                          \
  }

MAKER(char, char)
MAKER(schar, signed char)
MAKER(uchar, unsigned char)
MAKER(short, short)
MAKER(ushort, unsigned short)
MAKER(int, int)
MAKER(uint, unsigned)
MAKER(long, long)
MAKER(ulong, unsigned long)
MAKER(longlong, long long)
MAKER(ulonglong, unsigned long long)
MAKER(int8, int8_t)
MAKER(uint8, uint8_t)
MAKER(int16, int16_t)
MAKER(uint16, uint16_t)
MAKER(int32, int32_t)
MAKER(uint32, uint32_t)
MAKER(int64, int64_t)
MAKER(uint64, uint64_t)
MAKER(size, size_t)
MAKER(float, float)
MAKER(double, double)

PUBLIC bool mneme_bool(const char *symbol) { return mneme_uchar(symbol) & 1; }

PUBLIC int mneme_between(int least, int greatest, const char *symbol) {
  int x = mneme_int(symbol);
  klee_assume((least <= x) & (x <= greatest));
  return x;
}

PUBLIC size_t mneme_size_between(size_t least, size_t greatest, const char *symbol) {
  size_t x = mneme_size(symbol);
  klee_assume((least <= x) & (x <= greatest));
  return x;
}
