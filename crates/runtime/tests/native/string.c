/* <string.h>, <strings.h> and the texts of errno on random strings over a small alphabet, so that matches are
 * frequent. */
#include "harness.h"

int rt_memcmp(const void *, const void *, size_t), rt_bcmp(const void *, const void *, size_t);
void *rt_memchr(const void *, int, size_t), *rt_memrchr(const void *, int, size_t), *rt_rawmemchr(const void *, int);
void *rt_memmem(const void *, size_t, const void *, size_t), *rt_memccpy(void *, const void *, int, size_t);
void *rt_mempcpy(void *, const void *, size_t);
size_t rt_strlen(const char *), rt_strnlen(const char *, size_t), rt_strlcpy(char *, const char *, size_t);
size_t rt_strlcat(char *, const char *, size_t), rt_strspn(const char *, const char *);
size_t rt_strcspn(const char *, const char *), rt_strxfrm(char *, const char *, size_t);
char *rt_strcpy(char *, const char *), *rt_stpcpy(char *, const char *), *rt_strncpy(char *, const char *, size_t);
char *rt_stpncpy(char *, const char *, size_t), *rt_strcat(char *, const char *), *rt_strncat(char *, const char *, size_t);
char *rt_strdup(const char *), *rt_strndup(const char *, size_t), *rt_strchr(const char *, int);
char *rt_strrchr(const char *, int), *rt_strchrnul(const char *, int), *rt_index(const char *, int);
char *rt_rindex(const char *, int), *rt_strpbrk(const char *, const char *), *rt_strstr(const char *, const char *);
char *rt_strcasestr(const char *, const char *), *rt_strtok(char *, const char *);
char *rt_strtok_r(char *, const char *, char **), *rt_strsep(char **, const char *), *rt_strerror(int);
int rt_strcmp(const char *, const char *), rt_strncmp(const char *, const char *, size_t);
int rt_strcasecmp(const char *, const char *), rt_strncasecmp(const char *, const char *, size_t);
int rt_strcoll(const char *, const char *), rt_ffs(int), rt_ffsll(long long);
void rt_bcopy(const void *, void *, size_t), rt_bzero(void *, size_t);
int rt___xpg_strerror_r(int, char *, size_t);

enum { SIZE = 24 };

static void random_string(char *s, unsigned most) {
  static const char alphabet[] = "aabBc,\x80\xff";
  unsigned n = below(most + 1);
  for (unsigned i = 0; i < n; i++)
    s[i] = alphabet[below(sizeof alphabet - 1)];
  s[n] = '\0';
}

static void searching(const char *a, const char *b, int c, size_t n) {
  CHECK(rt_strlen(a) == strlen(a), "%s", a);
  CHECK(rt_strnlen(a, n) == strnlen(a, n), "%s %zu", a, n);
  CHECK(sign(rt_strcmp(a, b)) == sign(strcmp(a, b)), "%s %s", a, b);
  CHECK(sign(rt_strncmp(a, b, n)) == sign(strncmp(a, b, n)), "%s %s %zu", a, b, n);
  CHECK(sign(rt_strcasecmp(a, b)) == sign(strcasecmp(a, b)), "%s %s", a, b);
  CHECK(sign(rt_strncasecmp(a, b, n)) == sign(strncasecmp(a, b, n)), "%s %s %zu", a, b, n);
  CHECK(sign(rt_strcoll(a, b)) == sign(strcoll(a, b)), "%s %s", a, b);
  CHECK(rt_strchr(a, c) == strchr(a, c), "%s %d", a, c);
  CHECK(rt_strrchr(a, c) == strrchr(a, c), "%s %d", a, c);
  CHECK(rt_strchrnul(a, c) == strchrnul(a, c), "%s %d", a, c);
  CHECK(rt_index(a, c) == index(a, c), "%s %d", a, c);
  CHECK(rt_rindex(a, c) == rindex(a, c), "%s %d", a, c);
  CHECK(rt_strspn(a, b) == strspn(a, b), "%s %s", a, b);
  CHECK(rt_strcspn(a, b) == strcspn(a, b), "%s %s", a, b);
  CHECK(rt_strpbrk(a, b) == strpbrk(a, b), "%s %s", a, b);
  CHECK(rt_strstr(a, b) == strstr(a, b), "%s %s", a, b);
  CHECK(rt_strcasestr(a, b) == strcasestr(a, b), "%s %s", a, b);
  CHECK(rt_memchr(a, c, n) == memchr(a, c, n), "%s %d %zu", a, c, n);
  CHECK(rt_memrchr(a, c, n) == memrchr(a, c, n), "%s %d %zu", a, c, n);
  CHECK(rt_rawmemchr(a, '\0') == rawmemchr(a, '\0'), "%s", a);
  CHECK(sign(rt_memcmp(a, b, n)) == sign(memcmp(a, b, n)), "%s %s %zu", a, b, n);
  CHECK(!rt_bcmp(a, b, n) == !bcmp(a, b, n), "%s %s %zu", a, b, n);
  size_t needle = n % 4;
  CHECK(rt_memmem(a, n, b, needle) == memmem(a, n, b, needle), "%s %s %zu", a, b, n);
}

/* Runs one function both ways on equal buffers that hold `a`; results and buffers must agree. */
#define COPYING(mine, theirs)                                                                                          \
  do {                                                                                                                 \
    char x[4 * SIZE], y[4 * SIZE];                                                                                     \
    memset(x, '#', sizeof x), memset(y, '#', sizeof y);                                                                \
    strcpy(x, a), strcpy(y, a);                                                                                        \
    char *t = x;                                                                                                       \
    ptrdiff_t got = (char *)(mine) - x;                                                                                \
    t = y;                                                                                                             \
    ptrdiff_t wanted = (char *)(theirs) - y;                                                                           \
    CHECK(got == wanted && memcmp(x, y, sizeof x) == 0, "%s %s %zu: %td %td", a, b, n, got, wanted);                   \
  } while (0)

static void copying(const char *a, const char *b, int c, size_t n) {
  COPYING(rt_strcpy(t, b), strcpy(t, b));
  COPYING(rt_stpcpy(t, b), stpcpy(t, b));
  COPYING(rt_strncpy(t, b, n), strncpy(t, b, n));
  COPYING(rt_stpncpy(t, b, n), stpncpy(t, b, n));
  COPYING(rt_strcat(t, b), strcat(t, b));
  COPYING(rt_strncat(t, b, n), strncat(t, b, n));
  COPYING(rt_mempcpy(t, b, n), mempcpy(t, b, n));
  if (memchr(b, c, n) != NULL)
    COPYING(rt_memccpy(t, b, c, n), memccpy(t, b, c, n));
  COPYING((rt_bcopy(t, t + 3, n), t), (bcopy(t, t + 3, n), t));
  COPYING((rt_bzero(t, n), t), (bzero(t, n), t));
  COPYING(t + rt_strxfrm(t, b, 2 * SIZE), t + strxfrm(t, b, 2 * SIZE));

  /* glibc 2.36 has no strlcpy: its contract is checked with snprintf. */
  char x[4 * SIZE], y[4 * SIZE];
  memset(x, '#', sizeof x), memset(y, '#', sizeof y);
  size_t length = rt_strlcpy(x, b, n);
  CHECK(length == (size_t)snprintf(y, n, "%s", b) && memcmp(x, y, sizeof x) == 0, "%s %zu", b, n);
  if (strlen(a) < n) {
    strcpy(x, a);
    length = rt_strlcat(x, b, n);
    CHECK(length == (size_t)snprintf(y, n, "%s%s", a, b) && strcmp(x, y) == 0, "%s %s %zu", a, b, n);
  }
  char *d = rt_strdup(a), *e = rt_strndup(a, n), *f = strndup(a, n);
  CHECK(strcmp(d, a) == 0 && strcmp(e, f) == 0, "%s %zu", a, n);
  free(d), free(e), free(f);
}

static void tokens(const char *a, const char *b) {
  char x[SIZE], y[SIZE], *rest_x, *rest_y;
  strcpy(x, a), strcpy(y, a);
  char *mine = rt_strtok_r(x, b, &rest_x), *theirs = strtok_r(y, b, &rest_y);
  for (int i = 0; i < SIZE; i++) {
    CHECK((mine == NULL) == (theirs == NULL) && (mine == NULL || mine - x == theirs - y), "%s %s", a, b);
    if (mine == NULL || theirs == NULL)
      break;
    mine = rt_strtok_r(NULL, b, &rest_x), theirs = strtok_r(NULL, b, &rest_y);
  }
  CHECK(memcmp(x, y, strlen(a)) == 0, "%s %s", a, b);

  strcpy(x, a), strcpy(y, a);
  mine = rt_strtok(x, b), theirs = strtok(y, b);
  while (mine != NULL && theirs != NULL) {
    CHECK(mine - x == theirs - y && strcmp(mine, theirs) == 0, "%s %s", a, b);
    mine = rt_strtok(NULL, b), theirs = strtok(NULL, b);
  }
  CHECK(mine == NULL && theirs == NULL, "%s %s", a, b);

  strcpy(x, a), strcpy(y, a);
  rest_x = x, rest_y = y;
  do {
    mine = rt_strsep(&rest_x, b), theirs = strsep(&rest_y, b);
    CHECK((mine == NULL) == (theirs == NULL) && (mine == NULL || strcmp(mine, theirs) == 0), "%s %s", a, b);
  } while (mine != NULL && theirs != NULL);
}

int main(void) {
  for (int round = 0; round < 6000; round++) {
    char a[SIZE] = {0}, b[SIZE] = {0};
    random_string(a, SIZE - 1);
    random_string(b, round % 2 ? 4 : SIZE - 1);
    int c = "ab,\x80\0z"[below(6)] + (int)below(2) * 256;
    size_t n = below(SIZE);
    searching(a, b, c, n);
    copying(a, b, c, n);
    tokens(a, b);
  }
  for (int i = -2; i < 140; i++) {
    CHECK(strcmp(rt_strerror(i), strerror(i)) == 0, "%d: %s", i, rt_strerror(i));
    char x[64], y[64];
    CHECK(rt___xpg_strerror_r(i, x, sizeof x) == (strstr(strerror(i), "Unknown") != NULL ? EINVAL : 0), "%d", i);
    CHECK(strcmp(x, strerror_r(i, y, sizeof y)) == 0, "%d: %s", i, x);
  }
  for (int i = 0; i < 64; i++)
    CHECK(rt_ffsll((long long)(1ull << i)) == i + 1 && rt_ffs((int)(1ull << i)) == ffs((int)(1ull << i)), "%d", i);
  return finish();
}
