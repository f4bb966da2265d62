/* KLEE's interface, as far as C can say it. The rest are primitives of the engine: klee_make_symbolic, klee_assume,
 * klee_silent_exit, klee_warning, klee_warning_once, klee_print_expr, klee_print_range, klee_stack_trace,
 * klee_open_merge, klee_close_merge, klee_set_forking, klee_define_fixed_object, klee_alias_function. */
#include "libc.h"

PUBLIC int klee_int(const char *name) {
  int x;
  klee_make_symbolic(&x, sizeof x, name);
  return x;
}

PUBLIC int klee_range(int begin, int end, const char *name) {
  if (begin >= end)
    __mneme_report("klee_range: empty range", NULL, 0);
  if (begin + 1 == end)
    return begin;
  int x;
  klee_make_symbolic(&x, sizeof x, name);
  klee_assume((begin <= x) & (x < end));
  return x;
}

PUBLIC uintptr_t klee_choose(uintptr_t n) {
  uintptr_t x;
  klee_make_symbolic(&x, sizeof x, "klee_choose");
  klee_assume(x < n);
  return x;
}

PUBLIC NORETURN void klee_abort(void) { __mneme_abort(); }

PUBLIC NORETURN void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  (void)suffix;
  __mneme_report(message, file, line);
}

PUBLIC unsigned klee_is_symbolic(uintptr_t n) { return (unsigned)__mneme_is_symbolic(n); }
PUBLIC unsigned klee_is_replay(void) { return 0; }
PUBLIC size_t klee_get_obj_size(void *pointer) { return __mneme_object_size(pointer); }
PUBLIC int klee_get_errno(void) { return errno; }

/* The whole range is accessible if its ends are, since it may not leave their object. */
PUBLIC void klee_check_memory_access(const void *address, size_t size) {
  const volatile char *bytes = address;
  if (size == 0)
    return;
  (void)bytes[0];
  (void)bytes[size - 1];
}

/* Hints on which values a test should have; findings do not depend on them. */
PUBLIC void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
PUBLIC void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
PUBLIC void klee_mark_global(void *object) { (void)object; }

/* One value of an expression, to which the path is not constrained. */
PUBLIC long klee_get_valuel(long x) { return (long)__mneme_concretize((unsigned long)x); }
PUBLIC long long klee_get_valuell(long long x) { return (long long)example_of((uint64_t)x); }
PUBLIC int32_t klee_get_value_i32(int32_t x) { return (int32_t)__mneme_concretize((uint32_t)x); }
PUBLIC int64_t klee_get_value_i64(int64_t x) { return (int64_t)example_of((uint64_t)x); }

PUBLIC float klee_get_valuef(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (uint32_t)__mneme_concretize(bits);
  memcpy(&x, &bits, sizeof bits);
  return x;
}

PUBLIC double klee_get_valued(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = example_of(bits);
  memcpy(&x, &bits, sizeof bits);
  return x;
}
