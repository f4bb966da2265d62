/* Serves every access as if there were no handler: what dispatch costs (symMMU, 5.2.2). With `:tlb` it asks not to see
 * accesses to the same object again. Full. */
#include <mneme_handler.h>

#ifdef MNEME_TLB
#define SEEN(p) mneme_tlb_insert(p)
#else
#define SEEN(p) (void)0
#endif

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    SEEN(p);                                                                                                           \
    return mneme_wide_load_##bits(p);                                                                                  \
  }                                                                                                                    \
  void mneme_store_##bits(void *p, type value) {                                                                       \
    SEEN(p);                                                                                                           \
    mneme_wide_store_##bits(p, value);                                                                                 \
  }
MNEME_WIDTHS(ACCESS)
