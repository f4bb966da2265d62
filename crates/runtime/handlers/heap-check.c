/* Checks accesses to the heap by a shadow byte for each byte: unwritten, freed, or in order (symMMU, 4.2.3, Figure 7). Give
 * it for symbolic and for concrete accesses: --handler heap-check --concrete-handler heap-check. Partial. */
#include <mneme_shadow.h>

enum { OK, UNINIT, FREE };

void mneme_on_malloc(void *p, size_t size, bool zeroed) {
  if (p != NULL)
    shadow_fill(p, size, zeroed ? OK : UNINIT);
}

void mneme_on_free(void *p) {
  char *start = p == NULL ? NULL : mneme_object_of(p);
  if (start == NULL)
    return;
  if (mneme_size_of(start) > 0 && shadow_load(start) == FREE)
    mneme_fault_as("double-free", p, "a block is freed twice");
  shadow_fill(start, mneme_size_of(start), FREE);
}

/* What was kept of the old block has the values that it had. */
void mneme_on_realloc(void *p, void *old, size_t size) {
  if (p == NULL || p == old)
    return;
  size_t had = old == NULL ? 0 : mneme_size_of(old);
  for (size_t k = 0; k < size; k++)
    shadow_store((char *)p + k, k < had ? shadow_load((char *)old + k) : UNINIT);
  if (old != NULL)
    shadow_fill(old, had, FREE);
}

static void check_alive(const void *p, size_t size) {
  if (shadow_any(p, size, FREE))
    mneme_fault_as("use-after-free", p, "freed memory is used");
}

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    check_alive(p, sizeof(type));                                                                                      \
    if (shadow_any(p, sizeof(type), UNINIT))                                                                           \
      mneme_fault_as("uninitialized-read", p, "memory of the heap is read before it is written");                      \
    return mneme_next_load_##bits(p);                                                                                  \
  }                                                                                                                    \
  void mneme_store_##bits(void *p, type value) {                                                                       \
    check_alive(p, sizeof(type));                                                                                      \
    shadow_fill(p, sizeof(type), OK);                                                                                  \
    mneme_next_store_##bits(p, value);                                                                                 \
  }
MNEME_WIDTHS(ACCESS)
