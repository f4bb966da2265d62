/* AddressSanitizer's interface: poisoning reaches `mneme run` although the program is not compiled with
 * -fsanitize=address. */
#ifndef MNEME_ASAN_INTERFACE_H
#define MNEME_ASAN_INTERFACE_H

/* `#include_next` is an extension of C that compilers may warn of. */
#pragma GCC system_header

#include <stddef.h>

#if defined(__has_include_next)
#if __has_include_next(<sanitizer/asan_interface.h>)
#include_next <sanitizer/asan_interface.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

void __asan_poison_memory_region(void const volatile *addr, size_t size);
void __asan_unpoison_memory_region(void const volatile *addr, size_t size);
int __asan_address_is_poisoned(void const volatile *addr);
void *__asan_region_is_poisoned(void *beg, size_t size);

#ifdef __cplusplus
}
#endif

#undef ASAN_POISON_MEMORY_REGION
#undef ASAN_UNPOISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(addr, size) __asan_poison_memory_region((addr), (size))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size) __asan_unpoison_memory_region((addr), (size))

#endif
