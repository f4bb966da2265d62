/* Failed assertions, as the macros of <assert.h> report them. */
#include "libc.h"

PUBLIC NORETURN void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  __mneme_assert_fail(expression, file, line, function);
}

PUBLIC NORETURN void __assert(const char *expression, const char *file, int line) {
  __mneme_assert_fail(expression, file, (unsigned)line, "");
}

PUBLIC NORETURN void __assert_perror_fail(int number, const char *file, unsigned line, const char *function) {
  __mneme_assert_fail(strerror(number), file, line, function);
}
