/* Integers from text, arithmetic, sorting, searching, random numbers, the environment, exit handlers. */
#include "harness.h"

long rt_strtol(const char *, char **, int);
unsigned long rt_strtoul(const char *, char **, int);
long long rt_strtoll(const char *, char **, int), rt_atoll(const char *), rt_llabs(long long);
unsigned long long rt_strtoull(const char *, char **, int);
long rt___isoc23_strtol(const char *, char **, int);
int rt_atoi(const char *), rt_abs(int), rt_rand(void), rt_rand_r(unsigned *);
long rt_atol(const char *), rt_labs(long), rt_random(void);
div_t rt_div(int, int);
ldiv_t rt_ldiv(long, long);
lldiv_t rt_lldiv(long long, long long);
void rt_srand(unsigned), rt_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void rt_qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
void *rt_bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
char *rt_getenv(const char *), *rt_setlocale(int, const char *);
int rt_setenv(const char *, const char *, int), rt_unsetenv(const char *), rt_putenv(char *);
int rt_posix_memalign(void **, size_t, size_t), rt_atexit(void (*)(void));
void rt___mneme_run_atexit(void), *rt_reallocarray(void *, size_t, size_t);

#define CONVERT(type, function)                                                                                        \
  do {                                                                                                                 \
    char *x = NULL, *y = NULL;                                                                                         \
    errno = 0, rt_errno = 0;                                                                                           \
    type got = rt_##function(text, &x, base), wanted = function(text, &y, base);                                       \
    CHECK(got == wanted && (base == 1 || base > 36 || base < 0 || x == y) && rt_errno == errno,                        \
          "\"%s\" base %d: %lld at %td errno %d, not %lld at %td errno %d", text, base, (long long)got, x - text,      \
          rt_errno, (long long)wanted, y - text, errno);                                                               \
  } while (0)

static void conversions(const char *text) {
  static const int bases[] = {10, 0, 16, 8, 2, 36, 7, 1, 37, -1};
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
    int base = bases[i];
    CONVERT(long, strtol);
    CONVERT(unsigned long, strtoul);
    CONVERT(long long, strtoll);
    CONVERT(unsigned long long, strtoull);
  }
  CHECK(rt_atoi(text) == atoi(text) && rt_atol(text) == atol(text) && rt_atoll(text) == atoll(text), "%s", text);
}

static void integers(void) {
  static const char *const edges[] = {
      "", " ", "-", "+", "0", "00", "0x", "0X", "0xg", "0x1", "-0x1f", "+0X7Fz", "x1", "08", "0b1", " \t\n\v\f\r42", "- 1", "--1", "+-1",
      "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "-4294967295", "-4294967296",
      "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
      "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999999", "zz", "ZZ9",
      "0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "0x10000000000000000", "\xff", "1\xff"};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
    conversions(edges[i]);
  for (int round = 0; round < 6000; round++) {
    static const char alphabet[] = "0011223456789-+xXbafz ";
    char text[28];
    unsigned n = below(sizeof text);
    for (unsigned i = 0; i < n; i++)
      text[i] = alphabet[below(i < 3 ? sizeof alphabet - 1 : 13)];
    text[n] = '\0';
    conversions(text);
  }
  char *end;
  CHECK(rt___isoc23_strtol("0b101", &end, 0) == 5 && *end == '\0', "C23");
  CHECK(rt___isoc23_strtol("-0B11x", &end, 2) == -3 && *end == 'x', "C23");
  CHECK(rt___isoc23_strtol("0b2", &end, 0) == 0 && *end == 'b', "C23");

  CHECK(rt_abs(-5) == 5 && rt_abs(INT_MIN) == INT_MIN && rt_labs(-7) == 7 && rt_llabs(-9) == 9 && rt_abs(3) == 3, "abs");
  for (int n = -7; n <= 7; n++)
    for (int by = -3; by <= 3; by++)
      if (by != 0) {
        div_t a = rt_div(n, by);
        ldiv_t b = rt_ldiv(n, by);
        lldiv_t c = rt_lldiv(n, by);
        CHECK(a.quot == n / by && a.rem == n % by && b.quot == n / by && b.rem == n % by && c.quot == n / by &&
                  c.rem == n % by,
              "%d/%d", n, by);
      }
}

/* Sorted by the first half only, so that the second shows whether the sort is stable. */
struct item {
  short key, place;
};
static int by_key(const void *a, const void *b) { return ((struct item *)a)->key - ((struct item *)b)->key; }
static int reversed(const void *a, const void *b, void *context) { return *(int *)context * by_key(a, b); }
static int by_byte(const void *a, const void *b) { return *(unsigned char *)a - *(unsigned char *)b; }

static void sorting(void) {
  for (unsigned count = 0; count < 200; count++) {
    struct item a[200], b[200];
    unsigned char x[200], y[200];
    for (unsigned i = 0; i < count; i++) {
      a[i] = b[i] = (struct item){(short)below(count), (short)i};
      x[i] = y[i] = (unsigned char)below(256);
    }
    rt_qsort(a, count, sizeof *a, by_key);
    qsort(b, count, sizeof *b, by_key);
    CHECK(memcmp(a, b, count * sizeof *a) == 0, "%u", count);
    rt_qsort(x, count, 1, by_byte);
    qsort(y, count, 1, by_byte);
    CHECK(memcmp(x, y, count) == 0, "%u", count);
    for (short key = -1; key <= (short)count; key++) {
      struct item wanted = {key, 0};
      struct item *got = rt_bsearch(&wanted, a, count, sizeof *a, by_key);
      bool there = bsearch(&wanted, a, count, sizeof *a, by_key) != NULL;
      CHECK((got != NULL) == there && (got == NULL || got->key == key), "%u %d", count, key);
    }
    int minus = -1;
    rt_qsort_r(a, count, sizeof *a, reversed, &minus);
    for (unsigned i = 1; i < count; i++)
      CHECK(a[i - 1].key > a[i].key || (a[i - 1].key == a[i].key && a[i - 1].place < a[i].place), "%u", i);
  }
}

static int order[3], handlers;
static void third(void) { order[handlers++] = 3; }
static void second(void) { order[handlers++] = 2, rt_atexit(third); }
static void first(void) { order[handlers++] = 1; }

int main(void) {
  integers();
  sorting();

  CHECK(rt_rand() == 1804289383, "the first number of glibc without a seed");
  for (unsigned seed = 0; seed < 50; seed++) {
    unsigned mine = seed, theirs = seed;
    rt_srand(seed * 77777777), srand(seed * 77777777);
    for (int i = 0; i < 100; i++)
      CHECK(rt_rand() == rand() && rt_rand_r(&mine) == rand_r(&theirs), "seed %u", seed);
  }

  CHECK(rt_getenv("HOME") == NULL, "the environment is empty");
  static char fixed[] = "B=2";
  CHECK(rt_setenv("A", "1", 0) == 0 && rt_putenv(fixed) == 0 && rt_setenv("A", "3", 0) == 0, "setenv");
  CHECK(strcmp(rt_getenv("A"), "1") == 0 && strcmp(rt_getenv("B"), "2") == 0, "getenv");
  CHECK(rt_setenv("A", "4", 1) == 0 && strcmp(rt_getenv("A"), "4") == 0, "overwrite");
  CHECK(rt_unsetenv("A") == 0 && rt_getenv("A") == NULL && rt_getenv("B") != NULL && rt_setenv("=", "", 1) == -1, "unset");
  CHECK(strcmp(rt_setlocale(6, ""), "C") == 0 && rt_setlocale(6, "de_DE") == NULL, "setlocale");

  void *p = NULL;
  CHECK(rt_posix_memalign(&p, 64, 100) == 0 && (uintptr_t)p % 64 == 0 && rt_posix_memalign(&p, 3, 1) == EINVAL, "memalign");
  CHECK(rt_reallocarray(NULL, SIZE_MAX / 2, 3) == NULL && rt_errno == ENOMEM, "reallocarray");
  rt_atexit(first), rt_atexit(second);
  rt___mneme_run_atexit();
  CHECK(handlers == 3 && order[0] == 2 && order[1] == 3 && order[2] == 1, "%d %d %d", order[0], order[1], order[2]);
  return finish();
}
