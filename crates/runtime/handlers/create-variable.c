/* What a symbolic pointer reads is a new variable, the same for the same pointer (symMMU, 4.1.3). Partial: writes are
 * passed on. It explores more than the program does: a finding is real only if a replay confirms it. */
#include <mneme_handler.h>

#define MOST (MNEME_BOUND ? MNEME_BOUND : 256)

static struct {
  uint64_t pointer, value;
} variables[MOST];
static size_t count;

static uint64_t *variable(const void *p, unsigned bits) {
  uint64_t key = mneme_hash((uintptr_t)p) * 31 + bits;
  for (size_t k = 0; k < count; k++)
    if (variables[k].pointer == key)
      return &variables[k].value;
  if (count == MOST)
    return NULL;
  variables[count].pointer = key;
  variables[count].value = mneme_fresh();
  return &variables[count++].value;
}

#define ACCESS(bits, type)                                                                                             \
  type mneme_load_##bits(const void *p) {                                                                              \
    uint64_t *known = variable(p, bits);                                                                               \
    return known == NULL ? mneme_next_load_##bits(p) : (type)*known;                                                   \
  }
MNEME_WIDTHS(ACCESS)
