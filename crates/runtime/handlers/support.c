/* What the engine runs as C code where handlers are installed: operations on blocks of memory, whose accesses handlers
 * serve one by one, and events that several handlers may listen to. Not a handler itself. */
#include <mneme_handler.h>

enum { SIGNAL, MALLOC, FREE, REALLOC };

/* Handlers that listen to an event, and a call of one of them. */
size_t __mneme_listeners(unsigned event);
void __mneme_tell(unsigned event, size_t listener, const void *p, const void *old, size_t size, bool zeroed);

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *p);
long __mneme_write(int fd, const void *bytes, size_t size);
int __mneme_may_share(const void *a, const void *b);
void __mneme_apart(const void *to, size_t to_size, const void *from, size_t from_size);

#define DEFINE(type, name, ...)                                                                                        \
  type MNEME_ENTRY(name)(__VA_ARGS__);                                                                                 \
  type MNEME_ENTRY(name)(__VA_ARGS__)

/* ---- Blocks ---- */

static inline __attribute__((always_inline)) void move(char *to, const char *from, size_t size) {
  if (__mneme_may_share(to, from) && from < to) {
    while (size-- > 0)
      to[size] = from[size];
    return;
  }
  size_t k = 0;
  if (!mneme_is_symbolic(size))
    for (; k + 8 <= size; k += 8)
      *(uint64_t *)(to + k) = *(const uint64_t *)(from + k);
  for (; k < size; k++)
    to[k] = from[k];
}

static inline __attribute__((always_inline)) void copy(char *to, const char *from, size_t size) {
  if (to != from)
    __mneme_apart(to, size, from, size);
  move(to, from, size);
}

static void fill(char *to, char byte, size_t size) {
  for (size_t k = 0; k < size; k++)
    to[k] = byte;
}

DEFINE(void, move, char *to, const char *from, size_t size) { move(to, from, size); }
DEFINE(void, copy, char *to, const char *from, size_t size) { copy(to, from, size); }
DEFINE(void, fill, char *to, char byte, size_t size) { fill(to, byte, size); }

DEFINE(void *, memmove, char *to, const char *from, size_t size) {
  move(to, from, size);
  return to;
}

DEFINE(void *, memcpy, char *to, const char *from, size_t size) {
  copy(to, from, size);
  return to;
}

DEFINE(void *, memset, char *to, int byte, size_t size) {
  fill(to, byte, size);
  return to;
}

DEFINE(long, write, int fd, const char *bytes, size_t size) {
  char buffer[64];
  for (size_t done = 0, part; done < size; done += part) {
    part = size - done < sizeof buffer ? size - done : sizeof buffer;
    for (size_t k = 0; k < part; k++)
      buffer[k] = bytes[done + k];
    __mneme_write(fd, buffer, part);
  }
  return size;
}

/* The fields of a list of variable arguments. */
DEFINE(void, va_start, char *list, uint32_t general, uint32_t vector, void *stack, void *saved) {
  if (sizeof(void *) == 4) {
    *(void **)list = stack;
    return;
  }
  *(uint32_t *)list = general;
  *(uint32_t *)(list + 4) = vector;
  *(void **)(list + 8) = stack;
  *(void **)(list + 16) = saved;
}

/* ---- Events ---- */

static void tell(unsigned event, const void *p, const void *old, size_t size, bool zeroed) {
  for (size_t k = 0; k < __mneme_listeners(event); k++)
    __mneme_tell(event, k, p, old, size, zeroed);
}

DEFINE(void, signal_all, void *p, size_t size) { tell(SIGNAL, p, NULL, size, false); }

DEFINE(void *, malloc, size_t size) {
  void *p = malloc(size);
  tell(MALLOC, p, NULL, size, false);
  return p;
}

DEFINE(void *, calloc, size_t count, size_t size) {
  void *p = calloc(count, size);
  tell(MALLOC, p, NULL, count * size, true);
  return p;
}

DEFINE(void *, aligned_alloc, size_t alignment, size_t size) {
  void *p = aligned_alloc(alignment, size);
  tell(MALLOC, p, NULL, size, false);
  return p;
}

DEFINE(void *, realloc, void *old, size_t size) {
  void *p = realloc(old, size);
  tell(REALLOC, p, old, size, false);
  return p;
}

DEFINE(void, free, void *p) {
  tell(FREE, p, NULL, 0, false);
  free(p);
}
