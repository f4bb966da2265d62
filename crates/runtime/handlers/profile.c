/* Counts the accesses through symbolic pointers, word by word, and prefers inputs that reach words not reached before;
 * at the end of a path it asks for a count above 0 everywhere it can (symMMU, 4.2.2). Partial, incomplete. A variant
 * names the bytes of a word (1, 2, 4, 8; 1 if none is given). */
#ifdef MNEME_BOUND
#define MNEME_SHADOW_GRAIN MNEME_BOUND
#endif
#define MNEME_SHADOW_TYPE uint32_t
#include <mneme_shadow.h>

static void count(const void *p) {
  shadow_t before = shadow_load(p);
  bool first = mneme_possible(before == 0);
  if (first)
    mneme_narrow(before == 0);
  shadow_store(p, first ? 1 : before + 1);
}

static void reach(const void *p, shadow_t value) {
  (void)p;
  if (mneme_possible(value > 0))
    mneme_narrow(value > 0);
}

void mneme_cleanup(void) { shadow_each(reach); }

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    count(p);                                                                                                          \
    return mneme_next_load_##bits(p);                                                                                  \
  }                                                                                                                    \
  void mneme_store_##bits(void *p, type value) {                                                                       \
    count(p);                                                                                                          \
    mneme_next_store_##bits(p, value);                                                                                 \
  }
MNEME_WIDTHS(ACCESS)
