/* The engine's primitives for native tests: nothing is symbolic. */
#include "harness.h"

char written[65536];
size_t written_size;
const char *to_read = "";

void *rt_malloc(size_t size) { return malloc(size); }
void *rt_calloc(size_t count, size_t size) { return calloc(count, size); }
void *rt_realloc(void *pointer, size_t size) { return realloc(pointer, size); }
void *rt_aligned_alloc(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
void rt_free(void *pointer) { free(pointer); }
void *rt_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *rt_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *rt_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }
size_t rt___mneme_object_size(const void *pointer) { return pointer == NULL; }
void rt___mneme_poison(const void *start, size_t size) { (void)start, (void)size; }
void rt___mneme_unpoison(const void *start, size_t size) { (void)start, (void)size; }

int rt___mneme_is_poisoned(const void *address) { return address == NULL; }
void rt___mneme_read_all(const void *start, size_t size) { (void)start, (void)size; }
void rt___mneme_write_all(const void *start, size_t size) { (void)start, (void)size; }
int rt___mneme_may_share(const void *a, const void *b) { return (void)a, (void)b, 1; }
void rt___mneme_apart(const void *to, size_t to_size, const void *from, size_t from_size) {
  if ((const char *)to < (const char *)from + from_size && (const char *)from < (const char *)to + to_size)
    printf("a copy between ranges that overlap\n"), exit(3);
}

unsigned long rt___mneme_concretize(unsigned long value) { return value; }
unsigned long rt___mneme_fix(unsigned long value) { return value; }
int rt___mneme_is_symbolic(unsigned long value) { return (void)value, 0; }
void rt_klee_make_symbolic(void *object, size_t size, const char *name) { (void)name, memset(object, 0, size); }
void rt_klee_assume(uintptr_t condition) {
  if (!condition)
    printf("assumption does not hold\n"), exit(3);
}
void rt_klee_warning(const char *message) { printf("warning: %s\n", message); }
void rt_klee_open_merge(void) {}
void rt_klee_close_merge(void) {}

long rt___mneme_write(int fd, const void *bytes, size_t size) {
  (void)fd;
  if (size > sizeof written - written_size)
    size = sizeof written - written_size;
  memcpy(written + written_size, bytes, size);
  written_size += size;
  return (long)size;
}

/* Standard input, which the runtime reads once. */
long rt___mneme_outside_size(const char *name) { return name == NULL ? (long)strlen(to_read) : -2; }
void rt___mneme_outside_bytes(const char *name, void *to) {
  (void)name;
  memcpy(to, to_read, strlen(to_read));
}
void rt___mneme_outside_directory(char *to, size_t size) { snprintf(to, size, "/"); }
int rt___mneme_outside_entry(const char *directory, size_t n, char *to) { return (void)directory, (void)n, (void)to, 0; }
void rt___mneme_stays_concrete(const char *source, const char *name, const char *option) {
  (void)source, (void)name, (void)option;
}
void rt___mneme_arguments(int argc, char **argv, char **environment) { (void)argc, (void)argv, (void)environment; }
void rt___mneme_make_input(void *to, size_t most, size_t size, const char *name) {
  (void)to, (void)most, (void)size, (void)name;
}

static void end(const char *how) {
  printf("the runtime ended the program: %s\n", how);
  exit(4);
}
void rt___mneme_exit(int status) { exit(status); }
void rt_klee_silent_exit(int status) { (void)status, end("silent exit"); }
void rt___mneme_abort(void) { end("abort"); }
void rt___mneme_assert_fail(const char *e, const char *f, unsigned l, const char *in) { (void)f, (void)l, (void)in, end(e); }
void rt___mneme_reach_error(void) { end("reach_error"); }
void rt___mneme_report(const char *message, const char *file, int line) { (void)file, (void)line, end(message); }

#ifdef __i386__
/* What the compiler calls for 64-bit division. */
uint64_t rt___udivdi3(uint64_t a, uint64_t b) { return a / b; }
uint64_t rt___umoddi3(uint64_t a, uint64_t b) { return a % b; }
int64_t rt___divdi3(int64_t a, int64_t b) { return a / b; }
int64_t rt___moddi3(int64_t a, int64_t b) { return a % b; }
#endif
