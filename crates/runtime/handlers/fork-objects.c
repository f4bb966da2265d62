/* One path for each object that a pointer can belong to, and one access to the whole object at a symbolic offset in
 * each (symMMU, 4.1.7). Full, complete. */
#include <mneme_handler.h>

/* The pointer, on a path on which it belongs to one object; where it belongs to none, as it was. */
static void *settled(const void *p) {
  for (;;) {
    char *object = mneme_object_of(p);
    if (mneme_fork(mneme_belongs_to(p, object)))
      return object == NULL ? (void *)p : object + mneme_offset_in(p, object);
  }
}

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) { return mneme_wide_load_##bits(settled(p)); }                                 \
  void mneme_store_##bits(void *p, type value) { mneme_wide_store_##bits(settled(p), value); }
MNEME_WIDTHS(ACCESS)
