/* What the files of the runtime share: linkage, types of the C library's interface, and calls from one file into
 * another.
 *
 * The runtime uses no header of the host: only the compiler's own, so that it compiles for 32 and 64 bits anywhere.
 * Types and constants are those of the Linux ABI on x86, because analysed programs are compiled against glibc's
 * headers. */
#ifndef MNEME_LIBC_H
#define MNEME_LIBC_H

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "primitives.h"

/* A function of the C library. Weak: a program that defines its own wins. (Natively the sanitizers' own are weak, too:
 * there the linker is told to take the first.) */
#ifndef PUBLIC
#define PUBLIC __attribute__((weak))
#endif

/* A function compiled as it is written. Its branches decide which pointer or index to go on with; an optimiser would
 * make them selects, and every later access one at a symbolic offset. This way the engine forks once. */
#define PLAIN __attribute__((optnone, noinline))

#define EOF (-1)

enum { EPERM = 1, ENOENT = 2, EIO = 5, EBADF = 9, ENOMEM = 12, EACCES = 13, EINVAL = 22, EMFILE = 24, ENOSPC = 28, ERANGE = 34 };
enum { EOVERFLOW = 75, EILSEQ = 84 };

int *__errno_location(void);
#define errno (*__errno_location())

/* The beginning is glibc's, whose inline functions (putc_unlocked, feof_unlocked …) look at the flags and at the
 * buffer's pointers; these stay NULL, so that each of them calls the functions of stdio.c. Streams are not buffered. */
enum { STREAM_NO_READS = 4, STREAM_NO_WRITES = 8, STREAM_EOF = 0x10, STREAM_ERROR = 0x20 };
enum { MOST_PUSHED_BACK = 64 };
typedef struct _IO_FILE {
  int flags;
  char *buffer[11];
  int fd;
  int pushed_back_count; /* characters given to ungetc, the next one last */
  unsigned char pushed_back[MOST_PUSHED_BACK];
} FILE;
extern FILE *stdin, *stdout, *stderr;

/* files.c: the standard streams are the engine's, others are files in memory. */
long __stream_write(int fd, const void *bytes, size_t size);
long __stream_read(int fd, void *bytes, size_t size);

/* inputs.c: what is symbolic of the world outside. */
enum { MOST_WORDS = 256, MOST_SYMBOLIC = 32, MODEST_INPUT = 16 };
struct named_size {
  const char *name;
  size_t most;
};
/* Bytes of a real file. */
struct file_part {
  const char *name;
  size_t offset, length;
};
struct symbolic_inputs {
  bool no_dash, standard_input, random, clock, every_file, every_variable;
  size_t standard_input_most;
  size_t connection_most; /* bytes that each connection sends; 0: there are no connections */
  size_t failures;        /* calls of the file layer that may still fail on this path */
  struct named_size files[MOST_SYMBOLIC], variables[MOST_SYMBOLIC];
  struct file_part parts[MOST_SYMBOLIC];
  int file_count, variable_count, part_count;
};
extern struct symbolic_inputs __mneme_inputs;
void __mneme_take_inputs(int *argc, char ***argv);
/* What becomes of a call of the file layer: with --sym-failures, a decision with an input of its own. A call that fails
 * has set errno to `error`; only those that ask for it may be short. */
enum fate { WORKS, FAILS, IS_SHORT };
enum fate __mneme_fate(const char *call, int error, enum fate worst);
static inline bool fails(const char *call, int error) { return __mneme_fate(call, error, FAILS) == FAILS; }
/* The value of an environment variable; NULL where it is not set. */
char *__mneme_symbolic_variable(const char *name, size_t most);

/* string.c, memory.c */
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *start, int byte, size_t size);
void *mempcpy(void *restrict to, const void *restrict from, size_t size);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t limit);
char *strcpy(char *restrict to, const char *restrict from);
char *stpcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t size);
char *stpncpy(char *restrict to, const char *restrict from, size_t size);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t limit);
size_t strlcpy(char *restrict to, const char *restrict from, size_t size);
size_t strlcat(char *restrict to, const char *restrict from, size_t size);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t limit);
char *strchr(const char *s, int c);
char *strerror(int number);

/* strtol.c, strtod.c */
unsigned long long strtoull(const char *restrict text, char **restrict end, int base);
float strtof(const char *restrict text, char **restrict end);
double strtod(const char *restrict text, char **restrict end);
long double strtold(const char *restrict text, char **restrict end);

/* ctype.c, wctype.c, wchar.c */
typedef __WINT_TYPE__ wint_t;
#define WEOF ((wint_t)-1)
int isalnum(int c), isalpha(int c), isblank(int c), iscntrl(int c), isdigit(int c), isgraph(int c), islower(int c);
int isprint(int c), ispunct(int c), isspace(int c), isupper(int c), isxdigit(int c), tolower(int c), toupper(int c);
wint_t towlower(wint_t c), towupper(wint_t c);
size_t wcslen(const wchar_t *s);

/* stdio.c */
/* False if the bytes could not be written. */
bool __mneme_put(FILE *stream, const void *bytes, size_t size);
/* The next character; unlike `fgetc` it never fails by --sym-failures. */
int __mneme_getc(FILE *stream);
int ungetc(int c, FILE *stream);
long read(int fd, void *bytes, size_t size);
long write(int fd, const void *bytes, size_t size);
char *fgets(char *restrict to, int size, FILE *restrict stream);
size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream);

/* printf.c */
int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list arguments);
int vsprintf(char *restrict to, const char *restrict format, va_list arguments);
int vasprintf(char **to, const char *format, va_list arguments);
int vfprintf(FILE *restrict stream, const char *restrict format, va_list arguments);
int vdprintf(int fd, const char *restrict format, va_list arguments);

/* exit.c */
void __mneme_run_atexit(void);
void exit(int status) NORETURN;

/* One value of `value`, for text that the program cannot read back: nothing is constrained. */
static inline uint64_t example_of(uint64_t value) {
  if (sizeof(long) == 8)
    return __mneme_concretize((unsigned long)value);
  uint64_t high = __mneme_concretize((unsigned long)(value >> 32));
  return high << 32 | __mneme_concretize((unsigned long)value);
}

/* One value of `value`, to which the path is constrained: for arithmetic that would fork at every bit. */
static inline uint64_t fix_value(uint64_t value) {
  if (sizeof(long) == 8)
    return __mneme_fix((unsigned long)value);
  uint64_t high = __mneme_fix((unsigned long)(value >> 32));
  return high << 32 | __mneme_fix((unsigned long)value);
}

#endif
