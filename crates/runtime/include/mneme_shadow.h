/* Shadow memory for handlers (symMMU, 4.2): a value beside every MNEME_SHADOW_GRAIN bytes of the program's memory.
 *
 * The pages of an object, of 4,096 bytes each, are found by a hash of the object; a page of shadow values is made when
 * one of them is first stored. A symbolic pointer reads one term over the shadow values of all places it can point to:
 * paths fork for each page only (Figure 6). Values that were never stored are 0.
 *
 * Define before including: MNEME_SHADOW_GRAIN (1), MNEME_SHADOW_TYPE (uint8_t). */
#ifndef MNEME_SHADOW_H
#define MNEME_SHADOW_H

#include <mneme_handler.h>

#ifndef MNEME_SHADOW_GRAIN
#define MNEME_SHADOW_GRAIN 1
#endif
#ifndef MNEME_SHADOW_TYPE
#define MNEME_SHADOW_TYPE uint8_t
#endif

void *calloc(size_t count, size_t size);

#define SHADOW_PAGE 4096
#define SHADOW_BUCKETS 64

typedef MNEME_SHADOW_TYPE shadow_t;

struct shadow_page {
  const void *object;
  size_t number; /* Of the page in the object. */
  struct shadow_page *next;
  shadow_t values[SHADOW_PAGE / MNEME_SHADOW_GRAIN];
};

static struct shadow_page *shadow_buckets[SHADOW_BUCKETS];

/* A place in the program's memory, in one object and one page of it. */
struct shadow_place {
  const void *object;
  size_t page, at;
};

static bool shadow_place(const void *p, struct shadow_place *place) {
  place->object = mneme_object_of(p);
  while (!mneme_fork(mneme_belongs_to(p, place->object)))
    place->object = mneme_object_of(p);
  if (place->object == NULL)
    return false;
  size_t offset = mneme_offset_in(p, place->object);
  place->page = mneme_value(offset / SHADOW_PAGE);
  while (!mneme_fork(offset / SHADOW_PAGE == place->page))
    place->page = mneme_value(offset / SHADOW_PAGE);
  place->at = offset % SHADOW_PAGE / MNEME_SHADOW_GRAIN;
  return true;
}

static struct shadow_page *shadow_page(const struct shadow_place *place, bool make) {
  struct shadow_page **bucket = &shadow_buckets[(mneme_hash((uintptr_t)place->object) + place->page) % SHADOW_BUCKETS];
  for (struct shadow_page *page = *bucket; page != NULL; page = page->next)
    if (page->object == place->object && page->number == place->page)
      return page;
  if (!make)
    return NULL;
  struct shadow_page *page = calloc(1, sizeof *page);
  page->object = place->object;
  page->number = place->page;
  page->next = *bucket;
  return *bucket = page;
}

/* The shadow value of the place that `p` points to; 0 where it points to no object. */
static shadow_t shadow_load(const void *p) {
  struct shadow_place place;
  struct shadow_page *page = shadow_place(p, &place) ? shadow_page(&place, false) : NULL;
  return page == NULL ? 0 : page->values[place.at];
}

static void shadow_store(const void *p, shadow_t value) {
  struct shadow_place place;
  if (!shadow_place(p, &place))
    return;
  struct shadow_page *page = shadow_page(&place, mneme_is_symbolic(value) || value != 0);
  if (page != NULL)
    page->values[place.at] = value;
}

/* All of `size` bytes, which begin where a value does. */
static void shadow_fill(const void *p, size_t size, shadow_t value) {
  for (size_t k = 0; k < size; k += MNEME_SHADOW_GRAIN)
    shadow_store((const char *)p + k, value);
}

/* Do any of the `size` bytes have this shadow value? */
static bool shadow_any(const void *p, size_t size, shadow_t value) {
  bool any = false;
  for (size_t k = 0; k < size; k += MNEME_SHADOW_GRAIN)
    any |= shadow_load((const char *)p + k) == value;
  return any;
}

/* Calls `visit` for every value of the pages that were made, with the place that it belongs to. */
static inline void shadow_each(void (*visit)(const void *p, shadow_t value)) {
  for (size_t bucket = 0; bucket < SHADOW_BUCKETS; bucket++)
    for (struct shadow_page *page = shadow_buckets[bucket]; page != NULL; page = page->next)
      for (size_t k = 0; k < SHADOW_PAGE / MNEME_SHADOW_GRAIN; k++) {
        size_t offset = page->number * SHADOW_PAGE + k * MNEME_SHADOW_GRAIN;
        if (offset >= mneme_size_of(page->object))
          break;
        visit((const char *)page->object + offset, page->values[k]);
      }
}

#endif
