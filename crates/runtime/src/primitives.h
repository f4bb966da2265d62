/* What the engine provides to the runtime: calls to these functions have no body and are executed in Rust, by name.
 * Everything else in this directory is ordinary C over them. */
#ifndef MNEME_PRIMITIVES_H
#define MNEME_PRIMITIVES_H

#include <stddef.h>
#include <stdint.h>

#define NORETURN __attribute__((noreturn))

/* Symbols and the path condition. */
void klee_make_symbolic(void *object, size_t size, const char *name);
void klee_assume(uintptr_t condition);
int __mneme_is_symbolic(unsigned long value);
/* One value that `value` can have on this path. Does not constrain the path: callers that go on with it do. */
unsigned long __mneme_concretize(unsigned long value);
/* One value of `value`, to which the path is constrained. The run then says that others were lost. */
unsigned long __mneme_fix(unsigned long value);

/* Ends of a path. */
void __mneme_exit(int status) NORETURN;
void klee_silent_exit(int status) NORETURN;
void __mneme_abort(void) NORETURN;
void __mneme_assert_fail(const char *expression, const char *file, unsigned line, const char *function) NORETURN;
void __mneme_reach_error(void) NORETURN;
void __mneme_report(const char *message, const char *file, int line) NORETURN;

/* Memory. Copies and fills are single operations of the memory model. */
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *pointer, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *pointer);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
size_t __mneme_object_size(const void *pointer);
void __mneme_poison(const void *start, size_t size);
void __mneme_unpoison(const void *start, size_t size);
int __mneme_is_poisoned(const void *address);
/* All of these bytes are read: an error unless they are in order. */
void __mneme_read_all(const void *start, size_t size);
/* The same of bytes that will all be written. */
void __mneme_write_all(const void *start, size_t size);
/* Whether the pointers may belong to the same object. Costs nothing. */
int __mneme_may_share(const void *a, const void *b);
/* A copy goes from one range to the other: an error if they overlap. */
void __mneme_apart(const void *to, size_t to_size, const void *from, size_t from_size);

/* Input and output. Symbolic bytes that are written are shown as one example of theirs. */
long __mneme_write(int fd, const void *bytes, size_t size);

/* The world outside, as it really is. NULL is standard input, other names are files under the root, which are only
 * read. The size, or an error number below zero. */
long __mneme_outside_size(const char *name);
/* All bytes of it. */
void __mneme_outside_bytes(const char *name, void *to);
/* The current directory: its absolute name, cut to `size` bytes with the zero at its end. */
void __mneme_outside_directory(char *to, size_t size);
/* The nth thing in a directory outside, if there is one: its name goes to `to`, of 256 bytes. */
enum { OUTSIDE_FILE = 1, OUTSIDE_DIRECTORY = 2 };
int __mneme_outside_entry(const char *directory, size_t n, char *to);
/* The program has looked at this source of inputs, which is not symbolic. The option would make it so; NAME in it
 * stands for `name`, which may be NULL. */
void __mneme_stays_concrete(const char *source, const char *name, const char *option);
/* The program begins with these arguments when nothing else is running. */
void __mneme_arguments(int argc, char **argv, char **environment);
/* Makes `most` bytes symbolic, of which the first `size` are the input. */
void __mneme_make_input(void *object, size_t most, size_t size, const char *name);

/* Messages to the user and hints to the exploration. */
void klee_warning(const char *message);
void klee_open_merge(void);
void klee_close_merge(void);

#endif
