/* A pointer that can have only one address is that address (symMMU, 4.1.2). Partial. */
#include <mneme_handler.h>

static void *simplest(const void *p) {
  void *one = mneme_pointer_value(p);
  return mneme_possible(p != one) ? (void *)p : one;
}

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) { return mneme_next_load_##bits(simplest(p)); }                                \
  void mneme_store_##bits(void *p, type value) { mneme_next_store_##bits(simplest(p), value); }
MNEME_WIDTHS(ACCESS)
