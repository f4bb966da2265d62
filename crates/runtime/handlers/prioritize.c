/* An address at which a symbolic value lies, if the pointer can have one; otherwise any (symMMU, 4.1.6). Full for
 * reads, incomplete; writes are passed on. A number bounds the search (64). */
#include <mneme_handler.h>

#define MOST (MNEME_BOUND ? MNEME_BOUND : 64)

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    void *one = mneme_pointer_value(p);                                                                                \
    bool others = true;                                                                                                \
    for (size_t tried = 1; tried < MOST; tried++) {                                                                    \
      if (mneme_is_valid(one, sizeof(type)) && mneme_is_symbolic(mneme_wide_load_##bits(one)))                         \
        break;                                                                                                         \
      others = others & (p != one);                                                                                    \
      if (!mneme_possible(others))                                                                                     \
        break;                                                                                                         \
      one = mneme_pointer_where(p, others);                                                                            \
    }                                                                                                                  \
    mneme_assume_eq(p, one);                                                                                           \
    return mneme_wide_load_##bits(one);                                                                                \
  }
MNEME_WIDTHS(ACCESS)
