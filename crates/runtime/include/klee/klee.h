/* KLEE's programming interface, for harnesses written for KLEE: the prototypes are KLEE 3's, the implementation is
 * Mneme's. New harnesses may prefer <mneme.h>. */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <cassert>
extern "C" {
#else
/* As in <assert.h>, which does not declare it under NDEBUG. */
extern void __assert_fail(const char *expression, const char *file, unsigned int line, const char *function)
    __attribute__((noreturn));
#endif

/* ---- Symbolic values ---- */

/* Makes the `nbytes` bytes at `addr` symbolic. `name` identifies them in tests and messages. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);

/* A symbolic int with begin <= value < end. */
int klee_range(int begin, int end, const char *name);

/* A symbolic int without constraint. */
int klee_int(const char *name);

/* A symbolic value below `n`. It does not fork: compare to do so. */
uintptr_t klee_choose(uintptr_t n);

/* ---- The path ---- */

/* Goes on only where `condition` is not zero. */
void klee_assume(uintptr_t condition);

/* An assertion that NDEBUG does not remove. */
#define klee_assert(expr) ((expr) ? (void)(0) : __assert_fail(#expr, __FILE__, __LINE__, __PRETTY_FUNCTION__))

/* Ends the path without a test. */
void klee_silent_exit(int status) __attribute__((noreturn));

/* Ends the path as abort() does. */
void klee_abort(void) __attribute__((noreturn));

/* Reports an error of the harness's own at file:line and ends the path. `suffix` is ignored. */
void klee_report_error(const char *file, int line, const char *message, const char *suffix) __attribute__((noreturn));

/* Paths that went through klee_open_merge may be merged at klee_close_merge. */
void klee_open_merge(void);
void klee_close_merge(void);

/* Zero: from here on, one side of each branch is followed. Not zero: both are. */
void klee_set_forking(unsigned enable);

/* ---- Looking at values ---- */

/* Whether the value depends on symbols. */
unsigned klee_is_symbolic(uintptr_t n);

/* Whether this is a native run of a test. */
unsigned klee_is_replay(void);

/* One value that the expression can have. The path is not constrained to it. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* The error number of this path. */
int klee_get_errno(void);

/* Messages. klee_print_expr takes the expression as its second argument. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *msg, ...);
void klee_print_range(const char *name, int arg);
void klee_stack_trace(void);

/* ---- Memory ---- */

/* The size of the object that `ptr` points to. */
size_t klee_get_obj_size(void *ptr);

/* An error here unless all of [address, address + size) is accessible and in one object. */
void klee_check_memory_access(const void *address, size_t size);

/* An object of `nbytes` bytes at a fixed address. */
void klee_define_fixed_object(void *addr, size_t nbytes);

/* Kept for compatibility: objects are not shared between paths. */
void klee_mark_global(void *object);

/* ---- Hints ---- */

/* Prefer tests in which `condition` holds. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* From here on, calls of function `fn_name` go to `new_fn_name`. */
void klee_alias_function(const char *fn_name, const char *new_fn_name);

#ifdef __cplusplus
}
#endif

#endif
