/* One path for each address that a pointer can have (symMMU, 4.1.5). Full. `:capped` (16) or a number takes at most
 * that many, `:min-max` the least and the greatest in each object; these are incomplete. */
#ifdef MNEME_CAPPED
#define MNEME_BOUND 16
#endif
#include <mneme_handler.h>
#ifdef MNEME_MIN_MAX
static size_t extreme(size_t at, size_t some, size_t end) {
  while (some != end) {
    size_t middle = some < end ? some + (end - some) / 2 + 1 : end + (some - end) / 2;
    if (some < end ? mneme_possible(at >= middle) : mneme_possible(at <= middle))
      some = middle;
    else
      end = some < end ? middle - 1 : middle + 1;
  }
  return some;
}
static void *decided(const void *p) {
  char *object = mneme_object_of(p);
  while (!mneme_fork(mneme_belongs_to(p, object)))
    object = mneme_object_of(p);
  size_t at = mneme_offset_in(p, object), some = mneme_value(at);
  size_t least = extreme(at, some, 0), greatest = extreme(at, some, SIZE_MAX);
  mneme_narrow(at == least || at == greatest);
  return object == NULL ? (void *)p : object + (mneme_fork(at == least) ? least : greatest);
}
#else
static void *decided(const void *p) {
  for (size_t tried = 1;; tried++) {
    void *one = mneme_pointer_value(p);
    mneme_narrow(tried != MNEME_BOUND || p == one);
    if (mneme_fork(p == one))
      return one;
  }
}
#endif
#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) { return mneme_wide_load_##bits(decided(p)); }                                 \
  void mneme_store_##bits(void *p, type value) { mneme_wide_store_##bits(decided(p), value); }
MNEME_WIDTHS(ACCESS)
