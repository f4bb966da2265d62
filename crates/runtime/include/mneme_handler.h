/* Handlers: C code that serves the memory accesses of a program (symMMU, sections 3 and 4).
 *
 *   mneme run --handler policy.c program.c
 *
 * A handler is one C file. It defines some of the functions below; the engine calls them in place of an access, and
 * runs them as it runs the program, so that pointers and values may be symbolic. Other functions are static.
 *
 * In a handler, a plain access (`*p`) goes to the built-in resolution: no handler serves it. */
#ifndef MNEME_HANDLER_H
#define MNEME_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MNEME_HANDLER
#error "a handler is compiled by `mneme run --handler FILE.c`"
#endif

/* Each handler has names of its own. */
#define MNEME_JOIN(function, handler) __mneme_handler_##function##__##handler
#define MNEME_NAME(function, handler) MNEME_JOIN(function, handler)
#define MNEME_ENTRY(function) MNEME_NAME(function, MNEME_HANDLER)

/* The number behind the colon in `--handler NAME:NUMBER`. A word there is a macro: MNEME_MIN_MAX for `:min-max`. */
#ifndef MNEME_BOUND
#define MNEME_BOUND 0
#endif

/* X(bits, type) for every width of an access. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 mneme_uint128_t;
#define MNEME_WIDTHS(X) X(8, uint8_t) X(16, uint16_t) X(32, uint32_t) X(64, uint64_t) X(128, mneme_uint128_t)
#else
#define MNEME_WIDTHS(X) X(8, uint8_t) X(16, uint16_t) X(32, uint32_t) X(64, uint64_t)
#endif

/* ---- What a handler may define (Table 1) ---- */

#define mneme_load_8 MNEME_ENTRY(load_8)
#define mneme_load_16 MNEME_ENTRY(load_16)
#define mneme_load_32 MNEME_ENTRY(load_32)
#define mneme_load_64 MNEME_ENTRY(load_64)
#define mneme_load_128 MNEME_ENTRY(load_128)
#define mneme_store_8 MNEME_ENTRY(store_8)
#define mneme_store_16 MNEME_ENTRY(store_16)
#define mneme_store_32 MNEME_ENTRY(store_32)
#define mneme_store_64 MNEME_ENTRY(store_64)
#define mneme_store_128 MNEME_ENTRY(store_128)

/* A load or store through `p`. The result of a load is what the program reads. */
#define MNEME_DECLARE(bits, type)                                                                                      \
  type mneme_load_##bits(const void *p);                                                                               \
  void mneme_store_##bits(void *p, type value);
MNEME_WIDTHS(MNEME_DECLARE)
#undef MNEME_DECLARE

/* Before the program begins. */
#define mneme_init MNEME_ENTRY(init)
void mneme_init(void);

/* After it has ended without an error, before its test is written: what is assumed here holds for the test. */
#define mneme_cleanup MNEME_ENTRY(cleanup)
void mneme_cleanup(void);

/* The `size` bytes at `p` were made symbolic. */
#define mneme_signal MNEME_ENTRY(signal)
void mneme_signal(void *p, size_t size);

/* A block was allocated, is about to be freed, or was reallocated (§4.2.3); `p` is null if there was no memory. */
#define mneme_on_malloc MNEME_ENTRY(on_malloc)
#define mneme_on_free MNEME_ENTRY(on_free)
#define mneme_on_realloc MNEME_ENTRY(on_realloc)
void mneme_on_malloc(void *p, size_t size, bool zeroed);
void mneme_on_free(void *p);
void mneme_on_realloc(void *p, void *old, size_t size);

/* Before each call of FUNCTION, with its arguments; one that the call does not have is 0.
 *
 *   MNEME_BEFORE(system, const char *command) { ... }
 *
 * An argument that is decided later, such as a symbolic length, can make the call begin again: it is then heard twice. */
#define MNEME_BEFORE(function, ...)                                                                                    \
  void MNEME_BEFORE_NAME(function)(__VA_ARGS__);                                                                       \
  void MNEME_BEFORE_NAME(function)(__VA_ARGS__)
#define MNEME_BEFORE_NAME(function) MNEME_BEFORE_JOIN(function, MNEME_HANDLER)
#define MNEME_BEFORE_JOIN(function, handler) MNEME_JOIN(before_##function, handler)

/* ---- What a handler may call ---- */

/* Is the access that is served part of an operation that copies a block, such as memcpy? */
bool mneme_is_copy(void);

/* The same access, by the next handler that was given, or by the built-in resolution. One of 128 bits is passed on as
 * two. */
#define MNEME_DECLARE(bits, type)                                                                                      \
  type mneme_next_load_##bits(const void *p);                                                                          \
  void mneme_next_store_##bits(void *p, type value);
MNEME_DECLARE(8, uint8_t)
MNEME_DECLARE(16, uint16_t)
MNEME_DECLARE(32, uint32_t)
MNEME_DECLARE(64, uint64_t)
#undef MNEME_DECLARE
#ifdef __SIZEOF_INT128__
static inline mneme_uint128_t mneme_next_load_128(const void *p) {
  uint64_t low = mneme_next_load_64(p);
  return (mneme_uint128_t)mneme_next_load_64((const char *)p + 8) << 64 | low;
}
static inline void mneme_next_store_128(void *p, mneme_uint128_t value) {
  mneme_next_store_64(p, (uint64_t)value);
  mneme_next_store_64((char *)p + 8, (uint64_t)(value >> 64));
}
#endif

/* Pointers. A pointer belongs to objects; which ones is read off its term, and costs no query. */

/* An object that `p` can belong to, dead or alive, as a pointer to its first byte; null if it can be that `p` belongs
 * to none. After the other side of `mneme_belongs_to` another object is given, until there are no more. */
void *mneme_object_of(const void *p);
/* Whether `p` belongs to the object that starts at `object`; for null, whether it belongs to none. */
bool mneme_belongs_to(const void *p, const void *object);
/* How many objects `p` may belong to as far as its term shows, and the one with this number. */
size_t mneme_candidates(const void *p);
void *mneme_candidate(const void *p, size_t number);
/* Where in `object` `p` points, and how many bytes the object has. */
size_t mneme_offset_in(const void *p, const void *object);
size_t mneme_size_of(const void *object);
bool mneme_is_alive(const void *object);
/* Whether `size` bytes at an address that is known are inside a live object. */
static inline bool mneme_is_valid(const void *p, size_t size) {
  const void *object = mneme_object_of(p);
  if (object == NULL || !mneme_is_alive(object) || size > mneme_size_of(object))
    return false;
  return mneme_offset_in(p, object) <= mneme_size_of(object) - size;
}

/* One value that the pointer, or number, can have on this path. */
void *mneme_pointer_value(const void *p);
uint64_t mneme_value(uint64_t x);
/* One that it can have where `condition` holds, which must be possible. One query. */
void *mneme_pointer_where(const void *p, bool condition);
/* A number that can be anything. Findings that depend on it are to be confirmed by a replay, and the run says so. */
uint64_t mneme_fresh(void);
bool mneme_is_symbolic(uint64_t x);
/* Does `x` depend on the input of this name (null: on any)? On its bytes, not on which way the path went. */
bool mneme_comes_from(uint64_t x, const char *input);
/* Does `x` depend on memory that was never written? A path on which a handler decides by it stops. */
bool mneme_is_unwritten(uint64_t x);
/* Equal for equal terms, in every run. */
uint64_t mneme_hash(uint64_t x);

/* The path. */

/* Forks; `if` does so, too, unless the compiler turns it into a selection. */
bool mneme_fork(bool condition);
/* Goes on only where `condition` holds. If that leaves something out, the run says that it is incomplete. */
void mneme_narrow(bool condition);
#define mneme_assume_eq(a, b) mneme_narrow((a) == (b))
/* Can `condition` hold on this path? One query. */
bool mneme_possible(bool condition);

/* Ends the path with a finding at the program's access, of the rule "handler-report". */
void mneme_fault(const char *message) __attribute__((noreturn));
/* The same under the name of a rule, such as "use-after-free", about the object of `p`. */
void mneme_fault_as(const char *rule, const void *p, const char *message) __attribute__((noreturn));
/* A finding that does not end the path. */
void mneme_note(const char *message);

/* Accesses of the built-in resolution, for symbolic pointers: an access at a symbolic offset is one access to the whole
 * object. */
#define MNEME_DECLARE(bits, type)                                                                                      \
  static inline type mneme_wide_load_##bits(const void *p) { return *(const type *)p; }                                \
  static inline void mneme_wide_store_##bits(void *p, type value) { *(type *)p = value; }
MNEME_WIDTHS(MNEME_DECLARE)
#undef MNEME_DECLARE

/* Whether handlers serve the accesses that follow, until this handler returns: off when a handler begins. */
void mneme_translate(bool on);

/* Handlers of concrete accesses need not see those to the object of `p` any more, or to `size` bytes at `p`; or they
 * see the object again (Table 2). Each path has its own list, of limited length (--tlb). */
void mneme_tlb_insert(const void *p);
void mneme_tlb_insert_range(const void *p, size_t size);
void mneme_tlb_invalidate(const void *p);

#endif
