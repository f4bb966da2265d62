/* Mneme's programming interface: how a harness makes inputs symbolic and says what must hold.
 *
 *   #include <mneme.h>
 *
 *   int main(void) {
 *     int x = mneme_int("x");
 *     mneme_assume(x > 0);
 *     mneme_assert(x + 1 > x);
 *   }
 *
 * `mneme run` explores such a program; `mneme replay` runs it natively on one of the tests that were found.
 * Names identify inputs in tests and messages; the same name may be used again. */
#ifndef MNEME_H
#define MNEME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

/* ---- Inputs ---- */

/* Makes the `size` bytes at `object` symbolic. */
void mneme_symbolic(void *object, size_t size, const char *name);

/* A new buffer of `size` symbolic bytes, to be freed with free(). `size` may be symbolic too. */
void *mneme_symbolic_buffer(size_t size, const char *name);

/* The same for a string: the last of its `size` bytes is '\0', and earlier ones may be. `size` must not be 0. */
char *mneme_symbolic_string(size_t size, const char *name);

/* One symbolic value of the type. */
bool mneme_bool(const char *name);
char mneme_char(const char *name);
signed char mneme_schar(const char *name);
unsigned char mneme_uchar(const char *name);
short mneme_short(const char *name);
unsigned short mneme_ushort(const char *name);
int mneme_int(const char *name);
unsigned mneme_uint(const char *name);
long mneme_long(const char *name);
unsigned long mneme_ulong(const char *name);
long long mneme_longlong(const char *name);
unsigned long long mneme_ulonglong(const char *name);
int8_t mneme_int8(const char *name);
uint8_t mneme_uint8(const char *name);
int16_t mneme_int16(const char *name);
uint16_t mneme_uint16(const char *name);
int32_t mneme_int32(const char *name);
uint32_t mneme_uint32(const char *name);
int64_t mneme_int64(const char *name);
uint64_t mneme_uint64(const char *name);
size_t mneme_size(const char *name);
float mneme_float(const char *name);
double mneme_double(const char *name);

/* A symbolic value with least <= value <= greatest. */
int mneme_between(int least, int greatest, const char *name);
size_t mneme_size_between(size_t least, size_t greatest, const char *name);

/* ---- What must hold ---- */

/* Goes on only where `condition` holds. A path on which it cannot hold ends silently. */
void mneme_assume(bool condition);

/* The same in the contract of a function that is run alone (--contract): what every caller sees to. */
void mneme_requires(bool condition);

/* How many bytes the object has that `pointer` refers to; it must not be null. */
size_t mneme_extent(const void *pointer);

/* Reports an assertion failure wherever `condition` can be false. NDEBUG does not remove it. */
#define mneme_assert(condition)                                                                                        \
  ((condition) ? (void)0 : mneme_assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
void mneme_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));

/* Reports an error of the harness's own and ends the path. */
void mneme_report(const char *message, const char *file, int line) __attribute__((noreturn));

/* Ends the path without a test. */
void mneme_discard(void) __attribute__((noreturn));

/* ---- Memory ---- */

/* Every access to a poisoned byte is reported, until it is unpoisoned: for allocators and protocols of one's own. */
void mneme_poison(const void *start, size_t size);
void mneme_unpoison(const void *start, size_t size);

/* ---- Exploration ---- */

/* Paths that went through mneme_merge_open may be merged into one at mneme_merge_close. */
void mneme_merge_open(void);
void mneme_merge_close(void);

#ifdef __cplusplus
}
#endif

#endif
