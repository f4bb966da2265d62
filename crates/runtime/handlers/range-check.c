/* Reports a pointer that can stray far from where else it can point (symMMU, 4.1.1, Figure 4). Partial. */
#include <mneme_handler.h>

#define MOST ((size_t)0x10000000)
#define STRAYS "a pointer strays more than 256 MiB from its object"

/* Is `p` more than 256 MiB away from the object that it can point to? */
static bool strays(const void *p) {
  const void *object = mneme_object_of(p);
  size_t at = mneme_offset_in(p, object);
  return object != NULL && mneme_belongs_to(p, object) && at > MOST && -at > MOST;
}

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    if (strays(p))                                                                                                     \
      mneme_fault_as("out-of-bounds-read", p, STRAYS);                                                                 \
    return mneme_next_load_##bits(p);                                                                                  \
  }                                                                                                                    \
  void mneme_store_##bits(void *p, type value) {                                                                       \
    if (strays(p))                                                                                                     \
      mneme_fault_as("out-of-bounds-write", p, STRAYS);                                                                \
    mneme_next_store_##bits(p, value);                                                                                 \
  }
MNEME_WIDTHS(ACCESS)
