/* One value that depends on the pointer, where it can have few addresses (symMMU, 4.1.8). Full for reads, incomplete if
 * there are more addresses than the bound (16); writes are passed on. */
#include <mneme_handler.h>

#define MOST (MNEME_BOUND ? MNEME_BOUND : 16)

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    type value = 0;                                                                                                    \
    bool known = false;                                                                                                \
    for (size_t count = 0; count < MOST && mneme_possible(!known); count++) {                                          \
      void *one = mneme_pointer_where(p, !known);                                                                      \
      if (!mneme_is_valid(one, sizeof(type))) {                                                                        \
        if (mneme_fork(p == one))                                                                                      \
          return mneme_next_load_##bits(one);                                                                          \
        continue;                                                                                                      \
      }                                                                                                                \
      type here = mneme_wide_load_##bits(one);                                                                         \
      value = p == one ? here : value;                                                                                 \
      known = known | (p == one);                                                                                      \
    }                                                                                                                  \
    mneme_narrow(known);                                                                                               \
    return value;                                                                                                      \
  }
MNEME_WIDTHS(ACCESS)
