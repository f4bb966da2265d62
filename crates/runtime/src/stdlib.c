/* Arithmetic, sorting and searching of <stdlib.h>. Conversions are in strtol.c and strtod.c, processes in exit.c. */
#include "libc.h"

typedef struct {
  int quot, rem;
} div_t;
typedef struct {
  long quot, rem;
} ldiv_t;
typedef struct {
  long long quot, rem;
} lldiv_t;

/* The most negative value is its own absolute value, as on the machine. */
PUBLIC int abs(int x) { return x < 0 ? (int)(0 - (unsigned)x) : x; }
PUBLIC long labs(long x) { return x < 0 ? (long)(0 - (unsigned long)x) : x; }
PUBLIC long long llabs(long long x) { return x < 0 ? (long long)(0 - (unsigned long long)x) : x; }
PUBLIC intmax_t imaxabs(intmax_t x) { return llabs(x); }

PUBLIC div_t div(int n, int by) { return (div_t){n / by, n % by}; }
PUBLIC ldiv_t ldiv(long n, long by) { return (ldiv_t){n / by, n % by}; }
PUBLIC lldiv_t lldiv(long long n, long long by) { return (lldiv_t){n / by, n % by}; }

/* ---- qsort ---- */

typedef int comparison(const void *, const void *, void *);

struct sorting {
  char *scratch;
  size_t size;
  comparison *compare;
  void *context;
};

/* Merge sort: stable, as glibc's is, and it never asks what the answers so far imply, so that sorting n symbolic
 * elements has at most n! paths. */
PLAIN static void merge_sort(const struct sorting *s, char *start, size_t count) {
  if (count < 2)
    return;
  size_t size = s->size, left_count = count / 2;
  char *left = start, *middle = start + left_count * size, *right = middle, *end = start + count * size;
  merge_sort(s, left, left_count);
  merge_sort(s, right, count - left_count);
  char *to = s->scratch;
  while (left < middle && right < end) {
    if (s->compare(left, right, s->context) <= 0) {
      memcpy(to, left, size);
      left += size;
    } else {
      memcpy(to, right, size);
      right += size;
    }
    to += size;
  }
  /* What is left of the right half is in its place already. */
  memcpy(to, left, (size_t)(middle - left));
  to += middle - left;
  memcpy(start, s->scratch, (size_t)(to - s->scratch));
}

PUBLIC void qsort_r(void *start, size_t count, size_t size, comparison *compare, void *context) {
  if (count < 2 || size == 0)
    return;
  /* All elements are there; where a caller counts too many, that is the error, and not what comes of it. */
  const volatile char *bytes = start;
  (void)bytes[0];
  (void)bytes[(count - 1) * size];
  char *scratch = malloc(count * size);
  if (scratch == NULL)
    __mneme_report("qsort: no memory for sorting", __FILE__, __LINE__);
  struct sorting s = {scratch, size, compare, context};
  merge_sort(&s, start, count);
  free(scratch);
}

static int compare_without_context(const void *a, const void *b, void *compare) {
  int (*function)(const void *, const void *) = (int (*)(const void *, const void *))compare;
  return function(a, b);
}

PUBLIC void qsort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  qsort_r(start, count, size, compare_without_context, (void *)compare);
}

PLAIN PUBLIC void *bsearch(const void *key, const void *start, size_t count, size_t size,
                     int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *element = (const char *)start + middle * size;
    int order = compare(key, element);
    if (order == 0)
      return (void *)element;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* ---- <search.h>: lists ---- */

typedef int order(const void *, const void *);

PUBLIC void *lfind(const void *key, const void *start, size_t *count, size_t size, order *compare) {
  const char *element = start;
  for (size_t i = 0; i < *count; i++, element += size)
    if (compare(key, element) == 0)
      return (void *)element;
  return NULL;
}

PUBLIC void *lsearch(const void *key, void *start, size_t *count, size_t size, order *compare) {
  void *found = lfind(key, start, count, size, compare);
  return found != NULL ? found : memcpy((char *)start + size * (*count)++, key, size);
}

struct element {
  struct element *next, *previous;
};

PUBLIC void insque(void *new, void *after) {
  struct element *one = new, *before = after;
  one->previous = before;
  one->next = before == NULL ? NULL : before->next;
  if (one->next != NULL)
    one->next->previous = one;
  if (before != NULL)
    before->next = one;
}

PUBLIC void remque(void *old) {
  struct element *one = old;
  if (one->next != NULL)
    one->next->previous = one->previous;
  if (one->previous != NULL)
    one->previous->next = one->next;
}
