/* Checks accesses to the heap by a shadow byte for each byte: unwritten, freed, or in order (symMMU, 4.2.3, Figure 7).
 * Give it for symbolic and for concrete accesses: --handler heap-check --concrete-handler heap-check. Partial. */
#include <mneme_shadow.h>

enum { OK, UNINIT, FREE };

void mneme_on_malloc(void *p, size_t size, bool zeroed) {
  (void)size;
  if (p != NULL)
    shadow_reset(p, zeroed ? OK : UNINIT);
}

void mneme_on_free(void *p) {
  const void *block = p == NULL ? NULL : shadow_owner(p);
  if (block == NULL)
    return;
  if (shadow_load(block) == FREE)
    mneme_fault_as("double-free", p, "a block is freed twice");
  shadow_reset(block, FREE);
}

/* What was kept of the old block has the values that it had. */
void mneme_on_realloc(void *p, void *old, size_t size) {
  if (p == NULL || p == old)
    return;
  shadow_reset(p, UNINIT);
  if (old == NULL)
    return;
  const char *block = shadow_owner(old);
  for (size_t k = 0; k < size && k < mneme_size_of(block); k++)
    shadow_store((char *)p + k, shadow_load(block + k));
  shadow_reset(block, FREE);
}

static void check_alive(const void *p, size_t size) {
  if (shadow_any(p, size, FREE))
    mneme_fault_as("use-after-free", p, "freed memory is used");
}

/* A copy may take along what was never written, such as the gaps of a structure. */
static void check_written(const void *p, size_t size, bool unwritten) {
  if (unwritten && !mneme_is_copy() && shadow_any(p, size, UNINIT))
    mneme_fault_as("uninitialized-read", p, "memory of the heap is read before it is written");
}

#define UNWRITTEN(bits, value)                                                                                         \
  (mneme_is_unwritten((uint64_t)value) | (bits == 128 && mneme_is_unwritten((uint64_t)(value >> bits / 2))))

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    check_alive(p, sizeof(type));                                                                                      \
    type value = mneme_next_load_##bits(p);                                                                            \
    check_written(p, sizeof(type), UNWRITTEN(bits, value));                                                            \
    return value;                                                                                                      \
  }                                                                                                                    \
  void mneme_store_##bits(void *p, type value) {                                                                       \
    check_alive(p, sizeof(type));                                                                                      \
    shadow_fill(p, sizeof(type), UNWRITTEN(bits, value) ? UNINIT : OK);                                                \
    mneme_next_store_##bits(p, value);                                                                                 \
  }
MNEME_WIDTHS(ACCESS)
