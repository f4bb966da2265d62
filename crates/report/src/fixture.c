/* A test of a function, made by Mneme. It needs a C compiler and nothing else. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the function is given. */
struct mneme_object {
  const char *name;
  unsigned char *at;
  size_t size;
  /* Where in it pointers are. */
  const size_t *pointers;
  size_t count;
};

static struct mneme_object *mneme_all;
static size_t mneme_count;
/* What a pointer refers to that leads out of the structure. */
static unsigned char mneme_elsewhere[64] __attribute__((unused));

/* What a function returns that is passed, call by call. */
static const uint64_t *mneme_returns;
static size_t mneme_calls;

/* It is called with arguments of any types: no sanitizer compares them. */
#ifdef __clang__
__attribute__((no_sanitize("undefined")))
#endif
static inline uint64_t
mneme_code(void) {
  if (mneme_calls == 0)
    abort();
  mneme_calls--;
  return *mneme_returns++;
}

static inline float mneme_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline double mneme_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline long double mneme_extended(uint64_t low, uint16_t high) {
  long double value = 0;
  memcpy(&value, &low, sizeof low);
  memcpy((unsigned char *)&value + sizeof low, &high, sizeof high);
  return value;
}

int posix_memalign(void **, size_t, size_t);

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define MNEME_BLOCKS
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define MNEME_BLOCKS
#endif

/* A block whose address ends like this, modulo a page, and is behind that of another object. */
static inline unsigned char *mneme_place(size_t size, size_t low, const struct mneme_object *before) {
  const size_t page = 4096;
#ifdef MNEME_BLOCKS
  /* The sanitizer sees the end of each block. Large ones of about one size have addresses that grow. */
  const size_t unused = 17 * page;
  for (int i = 0; i < 1000; i++) {
    void *block = NULL;
    if (posix_memalign(&block, page, unused + low + size))
      break;
    unsigned char *at = (unsigned char *)block + unused + low;
    if (!before || at > before->at)
      return at;
  }
#else
  static unsigned char *next, *end;
  if (!before) {
    void *arena = NULL;
    if (posix_memalign(&arena, page, 1024 * page))
      exit(125);
    next = arena;
    end = next + 1024 * page;
  }
  unsigned char *at = next + low;
  if (low + size + page < (size_t)(end - next)) {
    next += (low + size + page) / page * page;
    return at;
  }
#endif
  exit(125);
}

static inline void mneme_make(struct mneme_object *object, const char *name, void *at, const unsigned char *bytes,
                              size_t size, const size_t *pointers, size_t count) {
  if (!at)
    exit(125);
  memcpy(at, bytes, size);
  object->name = name;
  object->at = at;
  object->size = size;
  object->pointers = pointers;
  object->count = count;
}

static inline void mneme_point(struct mneme_object *object, size_t offset, void *to) {
  memcpy(object->at + offset, &to, sizeof to);
}

/* Prints what a pointer refers to. */
static inline void mneme_tell(const void *pointer) {
  uintptr_t address = (uintptr_t)pointer;
  if (!pointer) {
    printf("<NULL>");
    return;
  }
  for (size_t i = 0; i < mneme_count; i++) {
    uintptr_t start = (uintptr_t)mneme_all[i].at;
    if (address < start || address - start > mneme_all[i].size)
      continue;
    if (address == start)
      printf("<%s>", mneme_all[i].name);
    else
      printf("<%s+%lu>", mneme_all[i].name, (unsigned long)(address - start));
    return;
  }
  printf("<elsewhere>");
}

static inline void mneme_tell_number(const void *value, size_t size) {
  const unsigned char *bytes = value;
  printf("returned 0x");
  for (size_t left = size; left > 0; left--)
    printf("%02x", bytes[left - 1]);
  printf("\n");
}

/* Prints what an object holds. */
static inline void mneme_show(const struct mneme_object *object) {
  printf("%s:", object->name);
  size_t next = 0;
  for (size_t i = 0; i < object->size; i++) {
    if (next < object->count && object->pointers[next] == i) {
      void *pointer;
      memcpy(&pointer, object->at + i, sizeof pointer);
      printf(" ");
      mneme_tell(pointer);
      i += sizeof pointer - 1;
      next++;
    } else {
      printf(" %02x", object->at[i]);
    }
  }
  printf("\n");
}
