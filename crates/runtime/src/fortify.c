/* What calls become under _FORTIFY_SOURCE. Each does the plain operation first, so that an access out of bounds is
 * reported by the memory model, with its place; then it checks the size that the compiler knew (SIZE_MAX: none),
 * because overflowing a member stays inside its object and yet ends the program on the machine. */
#include "libc.h"

PUBLIC NORETURN void __chk_fail(void) { __mneme_report("buffer overflow detected by _FORTIFY_SOURCE", NULL, 0); }
PUBLIC NORETURN void __stack_chk_fail(void) { __mneme_report("stack smashing detected", NULL, 0); }

static void check(size_t needed, size_t known) {
  if (needed > known)
    __chk_fail();
}

/* ---- memory and strings ---- */

PUBLIC void *__memcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t known) {
  memcpy(to, from, size);
  check(size, known);
  return to;
}

PUBLIC void *__memmove_chk(void *to, const void *from, size_t size, size_t known) {
  memmove(to, from, size);
  check(size, known);
  return to;
}

PUBLIC void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t known) {
  memcpy(to, from, size);
  check(size, known);
  return (char *)to + size;
}

PUBLIC void *__memset_chk(void *to, int byte, size_t size, size_t known) {
  memset(to, byte, size);
  check(size, known);
  return to;
}

PUBLIC void __explicit_bzero_chk(void *to, size_t size, size_t known) {
  memset(to, 0, size);
  check(size, known);
}

PUBLIC char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t known) {
  char *end = stpcpy(to, from);
  check((size_t)(end - to) + 1, known);
  return end;
}

PUBLIC char *__strcpy_chk(char *restrict to, const char *restrict from, size_t known) {
  __stpcpy_chk(to, from, known);
  return to;
}

PUBLIC char *__strncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t known) {
  strncpy(to, from, size);
  check(size, known);
  return to;
}

PUBLIC char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t known) {
  char *end = stpncpy(to, from, size);
  check(size, known);
  return end;
}

PUBLIC char *__strcat_chk(char *restrict to, const char *restrict from, size_t known) {
  strcat(to, from);
  if (known != SIZE_MAX)
    check(strlen(to) + 1, known);
  return to;
}

PUBLIC char *__strncat_chk(char *restrict to, const char *restrict from, size_t limit, size_t known) {
  strncat(to, from, limit);
  if (known != SIZE_MAX)
    check(strlen(to) + 1, known);
  return to;
}

PUBLIC size_t __strlcpy_chk(char *restrict to, const char *restrict from, size_t size, size_t known) {
  size_t length = strlcpy(to, from, size);
  check(size, known);
  return length;
}

PUBLIC size_t __strlcat_chk(char *restrict to, const char *restrict from, size_t size, size_t known) {
  size_t length = strlcat(to, from, size);
  check(size, known);
  return length;
}

/* ---- input ---- */

PUBLIC char *__fgets_chk(char *restrict to, size_t known, int size, FILE *restrict stream) {
  char *result = fgets(to, size, stream);
  check((size_t)size, known);
  return result;
}

PUBLIC size_t __fread_chk(void *restrict to, size_t known, size_t size, size_t count, FILE *restrict stream) {
  size_t result = fread(to, size, count, stream);
  check(size * count, known);
  return result;
}

PUBLIC long __read_chk(int fd, void *to, size_t size, size_t known) {
  long result = read(fd, to, size);
  check(size, known);
  return result;
}

/* ---- printf; `level` asks for further checks of the format, which are not made ---- */

PUBLIC int __vsnprintf_chk(char *restrict to, size_t size, int level, size_t known, const char *restrict format,
                           va_list list) {
  (void)level;
  int count = vsnprintf(to, size, format, list);
  check(size, known);
  return count;
}

PUBLIC int __vsprintf_chk(char *restrict to, int level, size_t known, const char *restrict format, va_list list) {
  (void)level;
  int count = vsprintf(to, format, list);
  if (count >= 0)
    check((size_t)count + 1, known);
  return count;
}

PUBLIC int __vfprintf_chk(FILE *restrict stream, int level, const char *restrict format, va_list list) {
  (void)level;
  return vfprintf(stream, format, list);
}

PUBLIC int __vprintf_chk(int level, const char *restrict format, va_list list) {
  return __vfprintf_chk(stdout, level, format, list);
}

PUBLIC int __vdprintf_chk(int fd, int level, const char *restrict format, va_list list) {
  (void)level;
  return vdprintf(fd, format, list);
}

PUBLIC int __vasprintf_chk(char **to, int level, const char *format, va_list list) {
  (void)level;
  return vasprintf(to, format, list);
}

#define FORWARD(last, call)                                                                                            \
  va_list list;                                                                                                        \
  va_start(list, last);                                                                                                \
  int count = call;                                                                                                    \
  va_end(list);                                                                                                        \
  return count

PUBLIC int __snprintf_chk(char *restrict to, size_t size, int level, size_t known, const char *restrict format, ...) {
  FORWARD(format, __vsnprintf_chk(to, size, level, known, format, list));
}
PUBLIC int __sprintf_chk(char *restrict to, int level, size_t known, const char *restrict format, ...) {
  FORWARD(format, __vsprintf_chk(to, level, known, format, list));
}
PUBLIC int __fprintf_chk(FILE *restrict stream, int level, const char *restrict format, ...) {
  FORWARD(format, __vfprintf_chk(stream, level, format, list));
}
PUBLIC int __printf_chk(int level, const char *restrict format, ...) {
  FORWARD(format, __vfprintf_chk(stdout, level, format, list));
}
PUBLIC int __dprintf_chk(int fd, int level, const char *restrict format, ...) {
  FORWARD(format, __vdprintf_chk(fd, level, format, list));
}
PUBLIC int __asprintf_chk(char **to, int level, const char *restrict format, ...) {
  FORWARD(format, __vasprintf_chk(to, level, format, list));
}
