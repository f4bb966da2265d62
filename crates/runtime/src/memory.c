/* Memory blocks: mem…, the b… functions of 4.3BSD, and what is left of allocation above the engine's primitives.
 * Plain byte loops: one fork at most for each byte looked at. memcpy, memmove and memset belong to the engine. */
#include "libc.h"

/* All of both blocks is read, wherever they differ. */
PUBLIC int memcmp(const void *a, const void *b, size_t size) {
  if (size == 0)
    return 0;
  __mneme_read_all(a, size);
  __mneme_read_all(b, size);
  const unsigned char *x = a, *y = b;
  for (; size > 0; size--, x++, y++)
    if (*x != *y)
      return *x - *y;
  return 0;
}

PUBLIC int bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }

PUBLIC void *memchr(const void *start, int byte, size_t size) {
  const unsigned char *s = start;
  for (; size > 0; size--, s++)
    if (*s == (unsigned char)byte)
      return (void *)s;
  return NULL;
}

PUBLIC void *memrchr(const void *start, int byte, size_t size) {
  const unsigned char *s = start;
  while (size > 0)
    if (s[--size] == (unsigned char)byte)
      return (void *)(s + size);
  return NULL;
}

PUBLIC void *rawmemchr(const void *start, int byte) {
  const unsigned char *s = start;
  while (*s != (unsigned char)byte)
    s++;
  return (void *)s;
}

PUBLIC void *memmem(const void *hay, size_t hay_size, const void *needle, size_t needle_size) {
  const unsigned char *h = hay, *n = needle;
  for (; hay_size >= needle_size; h++, hay_size--) {
    size_t i = 0;
    while (i < needle_size && h[i] == n[i])
      i++;
    if (i == needle_size)
      return (void *)h;
  }
  return NULL;
}

PUBLIC void *memccpy(void *restrict to, const void *restrict from, int byte, size_t size) {
  unsigned char *t = to;
  const unsigned char *f = from;
  for (; size > 0; size--)
    if ((*t++ = *f++) == (unsigned char)byte)
      return t;
  return NULL;
}

PUBLIC void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
  memcpy(to, from, size);
  return (char *)to + size;
}

PUBLIC void bcopy(const void *from, void *to, size_t size) { memmove(to, from, size); }
PUBLIC void bzero(void *to, size_t size) { memset(to, 0, size); }
PUBLIC void explicit_bzero(void *to, size_t size) { memset(to, 0, size); }

static int lowest_bit(unsigned long long value) {
  for (int i = 1; value != 0; i++, value >>= 1)
    if (value & 1)
      return i;
  return 0;
}

PUBLIC int ffs(int value) { return lowest_bit((unsigned)value); }
PUBLIC int ffsl(long value) { return lowest_bit((unsigned long)value); }
PUBLIC int ffsll(long long value) { return lowest_bit((unsigned long long)value); }

PUBLIC int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  void *pointer = aligned_alloc(alignment, size);
  if (pointer == NULL)
    return ENOMEM;
  *result = pointer;
  return 0;
}

PUBLIC void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
PUBLIC void *valloc(size_t size) { return aligned_alloc(4096, size); }

PUBLIC void *reallocarray(void *pointer, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(pointer, bytes);
}

PUBLIC size_t malloc_usable_size(void *pointer) { return pointer == NULL ? 0 : __mneme_object_size(pointer); }
