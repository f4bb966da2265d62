/* Strings: <string.h> and <strings.h> without the mem… functions (memory.c) and strerror (errno.c). Every function is
 * the loop of a textbook: one byte at a time, no table, no word tricks, because a symbolic byte costs one fork for each
 * comparison that looks at it. The locale is "C". */
#include "libc.h"

static unsigned char lower(unsigned char c) { return c - 'A' < 26u ? c + ('a' - 'A') : c; }

/* ---- length and copying ---- */

PUBLIC size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n] != '\0')
    n++;
  return n;
}

PUBLIC size_t strnlen(const char *s, size_t limit) {
  size_t n = 0;
  while (n < limit && s[n] != '\0')
    n++;
  return n;
}

/* Source and target must be apart. Where they are different objects nothing has to be measured. */
static void keep_apart(const char *to, const char *from) {
  if (!__mneme_may_share(to, from))
    return;
  size_t size = strlen(from) + 1;
  __mneme_apart(to, size, from, size);
}

static void keep_apart_up_to(const char *to, const char *from, size_t limit) {
  if (!__mneme_may_share(to, from))
    return;
  size_t length = strnlen(from, limit), size = length < limit ? length + 1 : limit;
  __mneme_apart(to, size, from, size);
}

/* What is appended must be apart from all of the target, unless it is empty. That it does not fit comes first, as
 * sanitizers have it. */
static void keep_appended_apart(const char *to, const char *from, size_t limit) {
  if (!__mneme_may_share(to, from))
    return;
  size_t length = strnlen(from, limit), size = length < limit ? length + 1 : limit;
  if (length == 0)
    return;
  size_t before = strlen(to);
  __mneme_write_all(to + before, length + 1);
  __mneme_apart(to, before + length + 1, from, size);
}

static char *copy(char *restrict to, const char *restrict from) {
  while ((*to = *from) != '\0')
    to++, from++;
  return to;
}

PUBLIC char *stpcpy(char *restrict to, const char *restrict from) {
  keep_apart(to, from);
  return copy(to, from);
}

PUBLIC char *strcpy(char *restrict to, const char *restrict from) {
  keep_apart(to, from);
  copy(to, from);
  return to;
}

PUBLIC char *stpncpy(char *restrict to, const char *restrict from, size_t size) {
  keep_apart_up_to(to, from, size);
  for (; size > 0 && (*to = *from) != '\0'; size--)
    to++, from++;
  memset(to, '\0', size);
  return to;
}

PUBLIC char *strncpy(char *restrict to, const char *restrict from, size_t size) {
  stpncpy(to, from, size);
  return to;
}

PUBLIC char *strcat(char *restrict to, const char *restrict from) {
  keep_appended_apart(to, from, SIZE_MAX);
  copy(to + strlen(to), from);
  return to;
}

PUBLIC char *strncat(char *restrict to, const char *restrict from, size_t limit) {
  keep_appended_apart(to, from, limit);
  char *t = to + strlen(to);
  for (; limit > 0 && *from != '\0'; limit--)
    *t++ = *from++;
  *t = '\0';
  return to;
}

PUBLIC size_t strlcpy(char *restrict to, const char *restrict from, size_t size) {
  size_t n = 0;
  for (; from[n] != '\0'; n++)
    if (n + 1 < size)
      to[n] = from[n];
  if (size > 0)
    to[n < size ? n : size - 1] = '\0';
  return n;
}

PUBLIC size_t strlcat(char *restrict to, const char *restrict from, size_t size) {
  size_t used = strnlen(to, size);
  return used + strlcpy(to + used, from, size - used);
}

PUBLIC char *strdup(const char *s) {
  size_t size = strlen(s) + 1;
  char *copy = malloc(size);
  return copy == NULL ? NULL : memcpy(copy, s, size);
}

PUBLIC char *strndup(const char *s, size_t limit) {
  size_t n = strnlen(s, limit);
  char *copy = malloc(n + 1);
  if (copy == NULL)
    return NULL;
  memcpy(copy, s, n);
  copy[n] = '\0';
  return copy;
}

PUBLIC char *__strdup(const char *s) { return strdup(s); }
PUBLIC char *__strndup(const char *s, size_t limit) { return strndup(s, limit); }

/* ---- comparison ---- */

PUBLIC int strcmp(const char *a, const char *b) {
  while (*a != '\0' && *a == *b)
    a++, b++;
  return (unsigned char)*a - (unsigned char)*b;
}

PUBLIC int strncmp(const char *a, const char *b, size_t limit) {
  for (; limit > 0; limit--, a++, b++)
    if (*a == '\0' || *a != *b)
      return (unsigned char)*a - (unsigned char)*b;
  return 0;
}

PUBLIC int strcasecmp(const char *a, const char *b) {
  while (*a != '\0' && lower(*a) == lower(*b))
    a++, b++;
  return lower(*a) - lower(*b);
}

PUBLIC int strncasecmp(const char *a, const char *b, size_t limit) {
  for (; limit > 0; limit--, a++, b++)
    if (*a == '\0' || lower(*a) != lower(*b))
      return lower(*a) - lower(*b);
  return 0;
}

PUBLIC int strcoll(const char *a, const char *b) { return strcmp(a, b); }

PUBLIC size_t strxfrm(char *restrict to, const char *restrict from, size_t size) { return strlcpy(to, from, size); }

/* ---- searching ---- */

PUBLIC char *strchrnul(const char *s, int c) {
  while (*s != '\0' && *s != (char)c)
    s++;
  return (char *)s;
}

PUBLIC char *strchr(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c)
      return (char *)s;
    if (*s == '\0')
      return NULL;
  }
}

PUBLIC char *strrchr(const char *s, int c) {
  const char *last = NULL;
  for (;; s++) {
    if (*s == (char)c)
      last = s;
    if (*s == '\0')
      return (char *)last;
  }
}

PUBLIC char *index(const char *s, int c) { return strchr(s, c); }
PUBLIC char *rindex(const char *s, int c) { return strrchr(s, c); }

static bool is_in(const char *set, char c) {
  for (; *set != '\0'; set++)
    if (*set == c)
      return true;
  return false;
}

PUBLIC size_t strspn(const char *s, const char *accept) {
  size_t n = 0;
  while (s[n] != '\0' && is_in(accept, s[n]))
    n++;
  return n;
}

PUBLIC size_t strcspn(const char *s, const char *reject) {
  size_t n = 0;
  while (s[n] != '\0' && !is_in(reject, s[n]))
    n++;
  return n;
}

PUBLIC char *strpbrk(const char *s, const char *accept) {
  for (; *s != '\0'; s++)
    if (is_in(accept, *s))
      return (char *)s;
  return NULL;
}

PUBLIC char *strstr(const char *hay, const char *needle) {
  for (;; hay++) {
    size_t i = 0;
    while (needle[i] != '\0' && hay[i] == needle[i])
      i++;
    if (needle[i] == '\0')
      return (char *)hay;
    if (*hay == '\0')
      return NULL;
  }
}

PUBLIC char *strcasestr(const char *hay, const char *needle) {
  for (;; hay++) {
    size_t i = 0;
    while (needle[i] != '\0' && lower(hay[i]) == lower(needle[i]))
      i++;
    if (needle[i] == '\0')
      return (char *)hay;
    if (*hay == '\0')
      return NULL;
  }
}

/* ---- tokens ---- */

PUBLIC char *strtok_r(char *restrict s, const char *restrict separators, char **restrict rest) {
  if (s == NULL)
    s = *rest;
  for (; *s != '\0'; s++)
    if (!is_in(separators, *s))
      break;
  if (*s == '\0') {
    *rest = s;
    return NULL;
  }
  char *token = s;
  while (*s != '\0' && !is_in(separators, *s))
    s++;
  if (*s != '\0')
    *s++ = '\0';
  *rest = s;
  return token;
}

PUBLIC char *__strtok_r(char *restrict s, const char *restrict separators, char **restrict rest) {
  return strtok_r(s, separators, rest);
}

PUBLIC char *strtok(char *restrict s, const char *restrict separators) {
  static char empty[1];
  static char *rest = empty;
  return strtok_r(s, separators, &rest);
}

PUBLIC char *strsep(char **rest, const char *separators) {
  char *token = *rest, *s = token;
  if (token == NULL)
    return NULL;
  while (*s != '\0' && !is_in(separators, *s))
    s++;
  if (*s != '\0') {
    *s = '\0';
    *rest = s + 1;
  } else {
    *rest = NULL;
  }
  return token;
}

/* ---- names of files ---- */

/* GNU's, which <string.h> declares: what is behind the last slash. */
PUBLIC char *basename(const char *name) {
  const char *slash = strrchr(name, '/');
  return (char *)(slash == NULL ? name : slash + 1);
}

/* Removes slashes at the end, but for one in the first place. */
static void strip_slashes(char *name) {
  for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
    name[n - 1] = '\0';
}

PUBLIC char *__xpg_basename(char *name) {
  if (name == NULL || *name == '\0')
    return ".";
  strip_slashes(name);
  char *slash = strrchr(name, '/');
  return slash == NULL || slash[1] == '\0' ? name : slash + 1;
}

PUBLIC char *dirname(char *name) {
  if (name == NULL)
    return ".";
  size_t end = strlen(name), slashes;
  while (end > 1 && name[end - 1] == '/')
    end--;
  if (end == 1 && name[0] == '/')
    end = 0; /* nothing but slashes */
  while (end > 0 && name[end - 1] != '/')
    end--;
  if (end == 0 && name[0] != '/')
    return ".";
  while (end > 0 && name[end - 1] == '/')
    end--;
  if (end == 0) { /* two slashes, and no more, are a root of their own */
    for (slashes = 0; name[slashes] == '/'; slashes++)
      ;
    end = slashes == 2 ? 2 : 1;
  }
  name[end] = '\0';
  return name;
}
