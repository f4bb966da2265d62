/* Memory without a file behind it (mmap): objects of whole pages, full of zeros. Files are not mapped, and no address
 * is granted that the program chooses: both may fail on a real machine, too. Pages that may not be accessed are
 * poisoned. */
#include "libc.h"

enum { PAGE = 4096, ENODEV = 19, FIXED = 0x10, ANONYMOUS = 0x20, FIXED_NOREPLACE = 0x100000, ACCESSIBLE = 3 };
#define FAILED ((void *)-1)

static size_t whole_pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

PUBLIC void *mmap(void *wish, size_t size, int protection, int flags, int fd, long offset) {
  (void)wish, (void)fd, (void)offset;
  size_t bytes = whole_pages(size);
  if (bytes == 0 || !(flags & ANONYMOUS) || flags & (FIXED | FIXED_NOREPLACE)) {
    errno = bytes == 0 ? EINVAL : flags & ANONYMOUS ? ENOMEM : ENODEV;
    return FAILED;
  }
  void *memory = aligned_alloc(PAGE, bytes);
  if (memory == NULL) {
    errno = ENOMEM;
    return FAILED;
  }
  memset(memory, 0, bytes);
  if (!(protection & ACCESSIBLE))
    __mneme_poison(memory, bytes);
  return memory;
}
PUBLIC void *mmap64(void *wish, size_t size, int protection, int flags, int fd, long long offset) {
  return mmap(wish, size, protection, flags, fd, (long)offset);
}

/* A part of a mapping stays an object that may not be accessed any more. */
PUBLIC int munmap(void *start, size_t size) {
  size_t bytes = whole_pages(size);
  if ((uintptr_t)start % PAGE != 0 || bytes == 0) {
    errno = EINVAL;
    return -1;
  }
  if (__mneme_object_size(start) == bytes)
    free(start);
  else
    __mneme_poison(start, bytes);
  return 0;
}

PUBLIC int mprotect(void *start, size_t size, int protection) {
  if (protection & ACCESSIBLE)
    __mneme_unpoison(start, whole_pages(size));
  else
    __mneme_poison(start, whole_pages(size));
  return 0;
}

PUBLIC int madvise(void *start, size_t size, int advice) {
  (void)start, (void)size, (void)advice;
  return 0;
}

PUBLIC int getpagesize(void) { return PAGE; }
