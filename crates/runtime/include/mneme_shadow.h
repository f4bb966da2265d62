/* Shadow memory for handlers (symMMU, 4.2): a value beside every MNEME_SHADOW_GRAIN bytes of the program's memory.
 *
 * The pages of an object, of 4,096 bytes each, are found by a hash of the object; a page of shadow values is made when
 * one of them is first stored. A symbolic pointer reads one term over the shadow values of all places it can point to:
 * paths fork for each page only (Figure 6). Values that were never stored are 0, or what `shadow_reset` gave the
 * object, whose size may be symbolic.
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
  size_t resets; /* How often the object had been reset: a page from before is empty. */
  struct shadow_page *next;
  shadow_t values[SHADOW_PAGE / MNEME_SHADOW_GRAIN]; /* Combined with what the object was reset to: 0 is that value. */
};

static struct shadow_page *shadow_buckets[SHADOW_BUCKETS];

/* What all values of an object were set to. */
struct shadow_object {
  const void *object;
  shadow_t value;
  size_t resets;
  struct shadow_object *next;
};

static struct shadow_object *shadow_objects[SHADOW_BUCKETS];

/* A place in the program's memory, in one object and one page of it. */
struct shadow_place {
  const void *object;
  size_t page, at;
};

/* The first byte of the object that `p` belongs to on this path. */
static const void *shadow_owner(const void *p) {
  for (;;) {
    const void *object = mneme_object_of(p);
    if (mneme_fork(mneme_belongs_to(p, object)))
      return object;
  }
}

static bool shadow_place(const void *p, struct shadow_place *place) {
  place->object = shadow_owner(p);
  if (place->object == NULL)
    return false;
  size_t offset = mneme_offset_in(p, place->object);
  place->page = mneme_value(offset / SHADOW_PAGE);
  while (!mneme_fork(offset / SHADOW_PAGE == place->page))
    place->page = mneme_value(offset / SHADOW_PAGE);
  place->at = offset % SHADOW_PAGE / MNEME_SHADOW_GRAIN;
  return true;
}

static struct shadow_object *shadow_known(const void *object) {
  struct shadow_object *known = shadow_objects[mneme_hash((uintptr_t)object) % SHADOW_BUCKETS];
  while (known != NULL && known->object != object)
    known = known->next;
  return known;
}

/* Gives all of an object the same value; `object` is its first byte. */
static inline void shadow_reset(const void *object, shadow_t value) {
  struct shadow_object *known = shadow_known(object);
  if (known == NULL) {
    struct shadow_object **bucket = &shadow_objects[mneme_hash((uintptr_t)object) % SHADOW_BUCKETS];
    known = calloc(1, sizeof *known);
    known->object = object;
    known->next = *bucket;
    *bucket = known;
  }
  known->value = value;
  known->resets++;
}

static struct shadow_page *shadow_page(const struct shadow_place *place, size_t resets, bool make) {
  struct shadow_page **bucket = &shadow_buckets[(mneme_hash((uintptr_t)place->object) + place->page) % SHADOW_BUCKETS];
  for (struct shadow_page *page = *bucket; page != NULL; page = page->next)
    if (page->object == place->object && page->number == place->page && page->resets == resets)
      return page;
  if (!make)
    return NULL;
  struct shadow_page *page = calloc(1, sizeof *page);
  page->object = place->object;
  page->number = place->page;
  page->resets = resets;
  page->next = *bucket;
  return *bucket = page;
}

/* The shadow value of the place that `p` points to; 0 where it points to no object. */
static shadow_t shadow_load(const void *p) {
  struct shadow_place place;
  if (!shadow_place(p, &place))
    return 0;
  struct shadow_object *known = shadow_known(place.object);
  struct shadow_page *page = shadow_page(&place, known == NULL ? 0 : known->resets, false);
  return (page == NULL ? 0 : page->values[place.at]) ^ (known == NULL ? 0 : known->value);
}

static void shadow_store(const void *p, shadow_t value) {
  struct shadow_place place;
  if (!shadow_place(p, &place))
    return;
  struct shadow_object *known = shadow_known(place.object);
  value ^= known == NULL ? 0 : known->value;
  struct shadow_page *page =
      shadow_page(&place, known == NULL ? 0 : known->resets, mneme_is_symbolic(value) || value != 0);
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
    for (struct shadow_page *page = shadow_buckets[bucket]; page != NULL; page = page->next) {
      struct shadow_object *known = shadow_known(page->object);
      if (known != NULL && known->resets != page->resets)
        continue;
      for (size_t k = 0; k < SHADOW_PAGE / MNEME_SHADOW_GRAIN; k++) {
        size_t offset = page->number * SHADOW_PAGE + k * MNEME_SHADOW_GRAIN;
        if (offset >= mneme_size_of(page->object))
          break;
        visit((const char *)page->object + offset, page->values[k] ^ (known == NULL ? 0 : known->value));
      }
    }
}

#endif
