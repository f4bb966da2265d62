/* Reports every path that writes certain bytes of a global variable: --watch NAME, a part of it (NAME.member[2]), or bytes
 * (NAME+OFFSET:SIZE). Partial; --watch installs it for symbolic and for concrete accesses. */
#include <mneme_handler.h>

#ifndef MNEME_WATCH
#error "name what to watch with --watch"
#endif

extern char MNEME_WATCH[];

/* The bytes: set when the types of the program are known. */
static volatile size_t watch_at, watch_end;

static void watch(const void *p, size_t size) {
  if (!mneme_belongs_to(p, MNEME_WATCH))
    return;
  size_t at = mneme_offset_in(p, MNEME_WATCH);
  if (at < watch_end && at + size > watch_at)
    mneme_note("watched memory is written");
}

#define ACCESS(bits, type)                                                                                             \
  void mneme_store_##bits(void *p, type value) {                                                                       \
    watch(p, sizeof(type));                                                                                            \
    mneme_next_store_##bits(p, value);                                                                                 \
  }
MNEME_WIDTHS(ACCESS)
