/* One of the addresses that a pointer can have, and no other (symMMU, 4.1.4, Figure 5). Full, incomplete. */
#include <mneme_handler.h>

static void *only(const void *p) {
  void *one = mneme_pointer_value(p);
  mneme_assume_eq(p, one);
  return one;
}

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) { return mneme_wide_load_##bits(only(p)); }                                    \
  void mneme_store_##bits(void *p, type value) { mneme_wide_store_##bits(only(p), value); }
MNEME_WIDTHS(ACCESS)
