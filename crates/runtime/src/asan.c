/* AddressSanitizer's interface for allocators of one's own (include/sanitizer/asan_interface.h). */
#include "libc.h"

PUBLIC void __asan_poison_memory_region(const volatile void *start, size_t size) {
  __mneme_poison((const void *)start, size);
}

PUBLIC void __asan_unpoison_memory_region(const volatile void *start, size_t size) {
  __mneme_unpoison((const void *)start, size);
}

PUBLIC int __asan_address_is_poisoned(const volatile void *address) { return __mneme_is_poisoned((const void *)address); }

/* The first byte that cannot be accessed, or NULL. */
PUBLIC void *__asan_region_is_poisoned(void *start, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (__mneme_is_poisoned((char *)start + i))
      return (char *)start + i;
  return NULL;
}
