/* Wide strings and wprintf against the C library's, on all short strings over a small alphabet and on many formats. */
#include "harness.h"
#include <wchar.h>
#include <wctype.h>

size_t rt_wcslen(const wchar_t *), rt_wcsnlen(const wchar_t *, size_t);
wchar_t *rt_wcscpy(wchar_t *, const wchar_t *), *rt_wcsncpy(wchar_t *, const wchar_t *, size_t);
wchar_t *rt_wcscat(wchar_t *, const wchar_t *), *rt_wcsncat(wchar_t *, const wchar_t *, size_t);
wchar_t *rt_wmemset(wchar_t *, wchar_t, size_t), *rt_wcschr(const wchar_t *, wchar_t), *rt_wcsrchr(const wchar_t *, wchar_t);
wchar_t *rt_wcsstr(const wchar_t *, const wchar_t *), *rt_wcspbrk(const wchar_t *, const wchar_t *);
wchar_t *rt_wcstok(wchar_t *, const wchar_t *, wchar_t **), *rt_wcsdup(const wchar_t *);
int rt_wcscmp(const wchar_t *, const wchar_t *), rt_wcsncmp(const wchar_t *, const wchar_t *, size_t);
int rt_wcscasecmp(const wchar_t *, const wchar_t *), rt_wmemcmp(const wchar_t *, const wchar_t *, size_t);
size_t rt_wcsspn(const wchar_t *, const wchar_t *), rt_wcscspn(const wchar_t *, const wchar_t *);
size_t rt_mbstowcs(wchar_t *, const char *, size_t), rt_wcstombs(char *, const wchar_t *, size_t);
size_t rt_mbrtowc(wchar_t *, const char *, size_t, mbstate_t *), rt_wcrtomb(char *, wchar_t, mbstate_t *);
wint_t rt_btowc(int), rt_towlower(wint_t), rt_towupper(wint_t);
int rt_wctob(wint_t), rt_iswctype(wint_t, wctype_t);
wctype_t rt_wctype(const char *);
int rt_swprintf(wchar_t *, size_t, const wchar_t *, ...), rt_wprintf(const wchar_t *, ...);

enum { ROOM = 16 };
static const wchar_t *const texts[] = {L"", L"a", L"ab", L"aB", L"ba", L"b,a", L"a,,b", L"\x20ac", L"ab\x100", L"abcab", L",a"};
enum { TEXTS = sizeof texts / sizeof *texts };

#define SAME(call_rt, call_libc, ...)                                                                                  \
  do {                                                                                                                 \
    wchar_t mine[ROOM], real[ROOM];                                                                                    \
    wmemset(mine, L'#', ROOM), wmemset(real, L'#', ROOM);                                                              \
    mine[0] = real[0] = 0;                                                                                             \
    wchar_t *to = mine;                                                                                                \
    long r = (long)(call_rt);                                                                                          \
    to = real;                                                                                                         \
    long l = (long)(call_libc);                                                                                        \
    CHECK(wmemcmp(mine, real, ROOM) == 0 && r == l, __VA_ARGS__);                                                      \
  } while (0)

static long at(const wchar_t *found, const wchar_t *start) { return found == NULL ? -1 : found - start; }

static void strings(const wchar_t *a, const wchar_t *b, size_t n) {
  SAME(rt_wcslen(a), wcslen(a), "wcslen");
  SAME(rt_wcsnlen(a, n), wcsnlen(a, n), "wcsnlen");
  SAME(rt_wcscpy(to, a) == to, wcscpy(to, a) == to, "wcscpy");
  SAME(rt_wcsncpy(to, a, n) == to, wcsncpy(to, a, n) == to, "wcsncpy %zu", n);
  SAME((rt_wcscpy(to, a), rt_wcscat(to, b) == to), (wcscpy(to, a), wcscat(to, b) == to), "wcscat");
  SAME((rt_wcscpy(to, a), rt_wcsncat(to, b, n) == to), (wcscpy(to, a), wcsncat(to, b, n) == to), "wcsncat");
  SAME(rt_wmemset(to, L'x', n) == to, wmemset(to, L'x', n) == to, "wmemset");
  SAME(sign(rt_wcscmp(a, b)), sign(wcscmp(a, b)), "wcscmp");
  SAME(sign(rt_wcsncmp(a, b, n)), sign(wcsncmp(a, b, n)), "wcsncmp");
  SAME(sign(rt_wcscasecmp(a, b)), sign(wcscasecmp(a, b)), "wcscasecmp");
  SAME(at(rt_wcschr(a, b[0]), a), at(wcschr(a, b[0]), a), "wcschr");
  SAME(at(rt_wcsrchr(a, b[0]), a), at(wcsrchr(a, b[0]), a), "wcsrchr");
  SAME(at(rt_wcsstr(a, b), a), at(wcsstr(a, b), a), "wcsstr");
  SAME(at(rt_wcspbrk(a, b), a), at(wcspbrk(a, b), a), "wcspbrk");
  SAME(rt_wcsspn(a, b), wcsspn(a, b), "wcsspn");
  SAME(rt_wcscspn(a, b), wcscspn(a, b), "wcscspn");
  wchar_t mine[ROOM], real[ROOM], *rest_mine, *rest_real;
  wcscpy(mine, a), wcscpy(real, a);
  wchar_t *m = rt_wcstok(mine, L",", &rest_mine), *r = wcstok(real, L",", &rest_real);
  for (int i = 0; i < 4; i++, m = rt_wcstok(NULL, L",", &rest_mine), r = wcstok(NULL, L",", &rest_real))
    CHECK(at(m, mine) == at(r, real), "wcstok %d", i);
  wchar_t *copy = rt_wcsdup(a);
  CHECK(wcscmp(copy, a) == 0, "wcsdup");
  free(copy);
}

static void bytes(void) {
  for (int c = -2; c < 300; c++) {
    CHECK(rt_btowc(c) == btowc(c), "btowc %d", c);
    CHECK(rt_wctob(c) == wctob(c), "wctob %d", c);
    if (c >= 0) {
      CHECK(rt_towlower(c) == towlower(c) && rt_towupper(c) == towupper(c), "tow… %d", c);
      static const char *const classes[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                            "lower", "print", "punct", "space", "upper", "xdigit"};
      for (int i = 0; i < 12; i++)
        CHECK(!rt_iswctype(c, rt_wctype(classes[i])) == !iswctype(c, wctype(classes[i])), "%s %d", classes[i], c);
    }
    char text[2] = {(char)c, 0}, mine[2] = "", real[2] = "";
    wchar_t w = 5, v = 5;
    mbstate_t state = {0}, other = {0};
    CHECK(rt_mbrtowc(&w, text, 1, &state) == mbrtowc(&v, text, 1, &other) && w == v, "mbrtowc %d", c);
    CHECK(rt_wcrtomb(mine, c, &state) == wcrtomb(real, c, &other) && mine[0] == real[0], "wcrtomb %d", c);
  }
  CHECK(rt_wctype("frob") == 0, "no class");
  wchar_t mine[8] = {9, 9, 9, 9, 9, 9, 9, 9}, real[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  for (size_t n = 0; n < 6; n++)
    CHECK(rt_mbstowcs(mine, "abc", n) == mbstowcs(real, "abc", n) && wmemcmp(mine, real, 8) == 0, "mbstowcs %zu", n);
  char bytes[8] = "", others[8] = "";
  for (size_t n = 0; n < 6; n++)
    CHECK(rt_wcstombs(bytes, L"abc", n) == wcstombs(others, L"abc", n) && memcmp(bytes, others, 8) == 0, "wcstombs %zu", n);
}

#define FORMAT(size, ...)                                                                                              \
  do {                                                                                                                 \
    wchar_t mine[64], real[64];                                                                                        \
    wmemset(mine, L'#', 64), wmemset(real, L'#', 64);                                                                  \
    int m = rt_swprintf(mine, size, __VA_ARGS__), r = swprintf(real, size, __VA_ARGS__);                               \
    CHECK(m == r && (r < 0 || wcscmp(mine, real) == 0), "%d %d, '%ls' for '%ls'", m, r, mine, real);                   \
  } while (0)

static void formats(void) {
  for (size_t size = 1; size < 64; size += 7) {
    FORMAT(size, L"plain text \x20ac");
    FORMAT(size, L"%d and %5u|%-6x|%#o|%+ld", -42, 7u, 255u, 8u, 99L);
    FORMAT(size, L"%ls|%10ls|%-10ls|%.2ls", L"wide\x20ac", L"right", L"left", L"cut");
    FORMAT(size, L"%s|%8s|%.1s", "bytes", "b", "cut");
    FORMAT(size, L"%c%lc%%|%*d|%.*f", 'x', (wint_t)L'y', 6, 12, 3, 2.5);
    FORMAT(size, L"%hhd %hd %lld %zu %jd", 300, 70000, 1LL << 40, (size_t)9, (intmax_t)-9);
  }
  CHECK(rt_swprintf(NULL, 0, L"x") == -1, "no room");
  CHECK(rt_wprintf(L"%ls=%d\n", L"x", 5) == 4 && written_size == 4 && memcmp(written, "x=5\n", 4) == 0, "wprintf");
}

long rt_wcstol(const wchar_t *, wchar_t **, int);
double rt_wcstod(const wchar_t *, wchar_t **);
int rt_wcwidth(wchar_t);

static void numbers(void) {
  static const wchar_t *const all[] = {L"", L" 42x", L"-0x1fz", L"999999999999999999999", L"+7\x20ac" L"1", L"1.5e3,", L"-.5", L"nan", L"x"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    wchar_t *x, *y;
    for (int base = 0; base <= 16; base += 8)
      CHECK(rt_wcstol(all[i], &x, base) == wcstol(all[i], &y, base) && x == y, "wcstol %ls", all[i]);
    double got = rt_wcstod(all[i], &x), wanted = wcstod(all[i], &y);
    CHECK((got == wanted || got != got) && x == y, "wcstod %ls", all[i]);
  }
  for (wchar_t c = 0; c < 300; c++)
    CHECK(rt_wcwidth(c) == wcwidth(c), "wcwidth %d", (int)c);
}

int main(void) {
  numbers();
  for (int i = 0; i < TEXTS; i++)
    for (int j = 0; j < TEXTS; j++)
      for (size_t n = 0; n < 8; n++)
        strings(texts[i], texts[j], n);
  bytes();
  formats();
  return finish();
}
