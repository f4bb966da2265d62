/* Wide strings: the functions of <wchar.h> on arrays of wchar_t, and conversion from and to bytes. As in string.c,
 * every function is the loop of a textbook. The locale is "C": a byte is the character of the same number, up to 127;
 * everything else is an encoding error. The replay library contains this file, too, because sanitizers do not watch the
 * wide functions of the C library. */
#include "libc.h"

enum { ASCII = 128 };

/* ---- length and copying ---- */

PUBLIC size_t wcslen(const wchar_t *s) {
  size_t n = 0;
  while (s[n] != 0)
    n++;
  return n;
}

PUBLIC size_t wcsnlen(const wchar_t *s, size_t limit) {
  size_t n = 0;
  while (n < limit && s[n] != 0)
    n++;
  return n;
}

PUBLIC wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count) {
  return memcpy(to, from, count * sizeof *to);
}

PUBLIC wchar_t *wmempcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count) {
  memcpy(to, from, count * sizeof *to);
  return to + count;
}

PUBLIC wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count) {
  return memmove(to, from, count * sizeof *to);
}

PUBLIC wchar_t *wmemset(wchar_t *to, wchar_t c, size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] = c;
  return to;
}

/* Source and target must be apart. Where they are different objects nothing has to be measured. */
static void keep_apart(const wchar_t *to, const wchar_t *from, size_t limit) {
  if (!__mneme_may_share(to, from))
    return;
  size_t length = wcsnlen(from, limit), size = (length < limit ? length + 1 : limit) * sizeof *from;
  __mneme_apart(to, size, from, size);
}

/* What is appended must be apart from all of the target, unless it is empty. */
static void keep_appended_apart(const wchar_t *to, const wchar_t *from, size_t limit) {
  if (!__mneme_may_share(to, from))
    return;
  size_t length = wcsnlen(from, limit), size = length < limit ? length + 1 : limit;
  if (length > 0)
    __mneme_apart(to, (wcslen(to) + length + 1) * sizeof *to, from, size * sizeof *from);
}

static wchar_t *copy(wchar_t *restrict to, const wchar_t *restrict from) {
  while ((*to = *from) != 0)
    to++, from++;
  return to;
}

PUBLIC wchar_t *wcpcpy(wchar_t *restrict to, const wchar_t *restrict from) {
  keep_apart(to, from, SIZE_MAX);
  return copy(to, from);
}

PUBLIC wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from) {
  wcpcpy(to, from);
  return to;
}

PUBLIC wchar_t *wcpncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count) {
  keep_apart(to, from, count);
  for (; count > 0 && (*to = *from) != 0; count--)
    to++, from++;
  wmemset(to, 0, count);
  return to;
}

PUBLIC wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count) {
  wcpncpy(to, from, count);
  return to;
}

PUBLIC wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from) {
  keep_appended_apart(to, from, SIZE_MAX);
  copy(to + wcslen(to), from);
  return to;
}

PUBLIC wchar_t *wcsncat(wchar_t *restrict to, const wchar_t *restrict from, size_t limit) {
  keep_appended_apart(to, from, limit);
  wchar_t *t = to + wcslen(to);
  for (; limit > 0 && *from != 0; limit--)
    *t++ = *from++;
  *t = 0;
  return to;
}

PUBLIC wchar_t *wcsdup(const wchar_t *s) {
  size_t size = (wcslen(s) + 1) * sizeof *s;
  wchar_t *copy = malloc(size);
  return copy == NULL ? NULL : memcpy(copy, s, size);
}

/* ---- comparison ---- */

static int order(wchar_t a, wchar_t b) { return a < b ? -1 : a > b; }

PUBLIC int wcscmp(const wchar_t *a, const wchar_t *b) {
  while (*a != 0 && *a == *b)
    a++, b++;
  return order(*a, *b);
}

PUBLIC int wcsncmp(const wchar_t *a, const wchar_t *b, size_t limit) {
  for (; limit > 0; limit--, a++, b++)
    if (*a == 0 || *a != *b)
      return order(*a, *b);
  return 0;
}

PUBLIC int wcscasecmp(const wchar_t *a, const wchar_t *b) {
  while (*a != 0 && towlower((wint_t)*a) == towlower((wint_t)*b))
    a++, b++;
  return order((wchar_t)towlower((wint_t)*a), (wchar_t)towlower((wint_t)*b));
}

PUBLIC int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t limit) {
  for (; limit > 0; limit--, a++, b++)
    if (*a == 0 || towlower((wint_t)*a) != towlower((wint_t)*b))
      return order((wchar_t)towlower((wint_t)*a), (wchar_t)towlower((wint_t)*b));
  return 0;
}

PUBLIC int wcscoll(const wchar_t *a, const wchar_t *b) { return wcscmp(a, b); }

/* All of both blocks is read, wherever they differ. */
PUBLIC int wmemcmp(const wchar_t *a, const wchar_t *b, size_t count) {
  if (count == 0)
    return 0;
  __mneme_read_all(a, count * sizeof *a);
  __mneme_read_all(b, count * sizeof *b);
  for (size_t i = 0; i < count; i++)
    if (a[i] != b[i])
      return order(a[i], b[i]);
  return 0;
}

/* ---- searching ---- */

PUBLIC wchar_t *wcschrnul(const wchar_t *s, wchar_t c) {
  while (*s != 0 && *s != c)
    s++;
  return (wchar_t *)s;
}

PUBLIC wchar_t *wcschr(const wchar_t *s, wchar_t c) {
  for (;; s++) {
    if (*s == c)
      return (wchar_t *)s;
    if (*s == 0)
      return NULL;
  }
}

PUBLIC wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
  const wchar_t *last = NULL;
  for (;; s++) {
    if (*s == c)
      last = s;
    if (*s == 0)
      return (wchar_t *)last;
  }
}

PUBLIC wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (s[i] == c)
      return (wchar_t *)s + i;
  return NULL;
}

PUBLIC size_t wcsspn(const wchar_t *s, const wchar_t *accepted) {
  size_t n = 0;
  while (s[n] != 0 && wcschr(accepted, s[n]) != NULL)
    n++;
  return n;
}

PUBLIC size_t wcscspn(const wchar_t *s, const wchar_t *rejected) {
  size_t n = 0;
  while (s[n] != 0 && wcschr(rejected, s[n]) == NULL)
    n++;
  return n;
}

PUBLIC wchar_t *wcspbrk(const wchar_t *s, const wchar_t *accepted) {
  s += wcscspn(s, accepted);
  return *s == 0 ? NULL : (wchar_t *)s;
}

PUBLIC wchar_t *wcsstr(const wchar_t *s, const wchar_t *part) {
  size_t length = wcslen(part);
  for (;; s++) {
    if (wcsncmp(s, part, length) == 0)
      return (wchar_t *)s;
    if (*s == 0)
      return NULL;
  }
}

PUBLIC wchar_t *wcstok(wchar_t *restrict s, const wchar_t *restrict delimiters, wchar_t **restrict rest) {
  if (s == NULL)
    s = *rest;
  s += wcsspn(s, delimiters);
  wchar_t *end = s + wcscspn(s, delimiters);
  *rest = end;
  if (*end != 0) {
    *end = 0;
    *rest = end + 1;
  }
  return end == s ? NULL : s;
}

/* ---- bytes ---- */

PUBLIC wint_t btowc(int c) { return c >= 0 && c < ASCII ? (wint_t)c : WEOF; }
PUBLIC int wctob(wint_t c) { return c < ASCII ? (int)c : EOF; }

/* There is no state: a character is one byte. */
PUBLIC int mbsinit(const void *state) { return (void)state, 1; }

PUBLIC size_t mbrtowc(wchar_t *restrict to, const char *restrict s, size_t size, void *restrict state) {
  (void)state;
  if (s == NULL)
    return 0;
  if (size == 0)
    return (size_t)-2;
  unsigned char byte = (unsigned char)*s;
  if (byte >= ASCII) {
    errno = EILSEQ;
    return (size_t)-1;
  }
  if (to != NULL)
    *to = byte;
  return byte != 0;
}

PUBLIC size_t mbrlen(const char *restrict s, size_t size, void *restrict state) { return mbrtowc(NULL, s, size, state); }

PUBLIC int mbtowc(wchar_t *restrict to, const char *restrict s, size_t size) {
  size_t n = mbrtowc(to, s, size, NULL);
  return n == (size_t)-2 ? -1 : (int)n;
}

PUBLIC int mblen(const char *s, size_t size) { return mbtowc(NULL, s, size); }

PUBLIC size_t wcrtomb(char *restrict to, wchar_t c, void *restrict state) {
  (void)state;
  if (to == NULL)
    return 1;
  if (c < 0 || c >= ASCII) {
    errno = EILSEQ;
    return (size_t)-1;
  }
  *to = (char)c;
  return 1;
}

PUBLIC int wctomb(char *to, wchar_t c) { return to == NULL ? 0 : (int)wcrtomb(to, c, NULL); }

/* Where there is a place for the characters, `*from` is left at the first that is not converted; NULL: all are. */
PUBLIC size_t mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t count, void *restrict state) {
  const char *s = *from;
  for (size_t n = 0; to == NULL || n < count; n++) {
    wchar_t c;
    if (to != NULL)
      *from = s + n;
    if (mbrtowc(&c, s + n, 1, state) == (size_t)-1)
      return (size_t)-1;
    if (to != NULL)
      to[n] = c;
    if (to != NULL && c == 0)
      *from = NULL;
    if (c == 0)
      return n;
  }
  *from = s + count;
  return count;
}

PUBLIC size_t mbstowcs(wchar_t *restrict to, const char *from, size_t count) {
  return mbsrtowcs(to, &from, count, NULL);
}

PUBLIC size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t size, void *restrict state) {
  const wchar_t *s = *from;
  for (size_t n = 0; to == NULL || n < size; n++) {
    char c;
    if (to != NULL)
      *from = s + n;
    if (wcrtomb(&c, s[n], state) == (size_t)-1)
      return (size_t)-1;
    if (to != NULL)
      to[n] = c;
    if (to != NULL && c == '\0')
      *from = NULL;
    if (c == '\0')
      return n;
  }
  *from = s + size;
  return size;
}

PUBLIC size_t wcstombs(char *restrict to, const wchar_t *from, size_t size) {
  return wcsrtombs(to, &from, size, NULL);
}

/* ---- columns ---- */

PUBLIC int wcwidth(wchar_t c) { return c == 0 ? 0 : c >= ' ' && c < 127 ? 1 : -1; }
PUBLIC int wcswidth(const wchar_t *s, size_t limit) {
  int width = 0;
  for (size_t i = 0; i < limit && s[i] != 0; i++) {
    int one = wcwidth(s[i]);
    if (one < 0)
      return -1;
    width += one;
  }
  return width;
}

/* ---- numbers ---- */

enum { LONGEST_NUMBER = 400 };

/* The text of a number as bytes: all of it that is ASCII, up to a limit. */
static const char *narrow(const wchar_t *from, char *to) {
  size_t n = 0;
  while (n < LONGEST_NUMBER && from[n] > 0 && from[n] < ASCII) {
    to[n] = (char)from[n];
    n++;
  }
  to[n] = '\0';
  return to;
}

#define NUMBER(name, type, function, parameters, call)                                                                 \
  PUBLIC type name parameters {                                                                                        \
    char bytes[LONGEST_NUMBER + 1], *stop;                                                                             \
    const char *start = narrow(text, bytes);                                                                           \
    type value = function call;                                                                                        \
    if (end != NULL)                                                                                                   \
      *end = (wchar_t *)text + (stop - start);                                                                         \
    return value;                                                                                                      \
  }
#define WHOLE(name, type, function)                                                                                    \
  NUMBER(name, type, function, (const wchar_t *restrict text, wchar_t **restrict end, int base), (start, &stop, base))
#define REAL(name, type, function)                                                                                     \
  NUMBER(name, type, function, (const wchar_t *restrict text, wchar_t **restrict end), (start, &stop))

long strtol(const char *restrict text, char **restrict end, int base);
unsigned long strtoul(const char *restrict text, char **restrict end, int base);
long long strtoll(const char *restrict text, char **restrict end, int base);
WHOLE(wcstol, long, strtol)
WHOLE(wcstoul, unsigned long, strtoul)
WHOLE(wcstoll, long long, strtoll)
WHOLE(wcstoull, unsigned long long, strtoull)
REAL(wcstof, float, strtof)
REAL(wcstod, double, strtod)
REAL(wcstold, long double, strtold)
