/* Reports every path that writes certain bytes of a global variable: --watch NAME, NAME+OFFSET or NAME+OFFSET:SIZE. Partial;
 * --watch installs it for symbolic and for concrete accesses. */
#include <mneme_handler.h>

#ifndef MNEME_WATCH
#error "name what to watch with --watch"
#endif

extern char MNEME_WATCH[];

static void watch(const void *p, size_t size) {
  if (!mneme_belongs_to(p, MNEME_WATCH))
    return;
  size_t at = mneme_offset_in(p, MNEME_WATCH);
  size_t end = MNEME_WATCH_SIZE ? MNEME_WATCH_AT + MNEME_WATCH_SIZE : mneme_size_of(MNEME_WATCH);
  if (at < end && at + size > MNEME_WATCH_AT)
    mneme_note("watched memory is written");
}

#define ACCESS(bits, type)                                                                                             \
  void mneme_store_##bits(void *p, type value) {                                                                       \
    watch(p, sizeof(type));                                                                                            \
    mneme_next_store_##bits(p, value);                                                                                 \
  }
MNEME_WIDTHS(ACCESS)
