/* <fnmatch.h>: patterns of the shell, in the C locale. */
#include "libc.h"

enum { NO_MATCH = 1 };
enum { PATHNAME = 1, NO_ESCAPE = 2, PERIOD = 4, LEADING_DIRECTORY = 8, CASE_FOLD = 16 };

static int folded(int c, int flags) { return flags & CASE_FOLD ? tolower(c) : c; }

/* The name in `[:name:]`, of which `p` is behind the first colon, and whether `c` is of that class. NULL if there is no
 * such class. */
static const char *class_of(const char *p, int c, bool *is) {
  static const struct {
    const char *name;
    int (*is)(int);
  } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
                 {"lower", islower}, {"print", isprint}, {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    size_t length = strlen(classes[i].name);
    if (strncmp(p, classes[i].name, length) == 0 && p[length] == ':' && p[length + 1] == ']') {
      *is = classes[i].is(c) != 0;
      return p + length + 2;
    }
  }
  return NULL;
}

/* Whether `c` is in the bracket whose inside begins at `p`; the end of the bracket goes to `*end`, NULL if it has
 * none. */
static bool is_in(const char *p, unsigned char c, int flags, const char **end) {
  bool other = *p == '!' || *p == '^', in = false;
  const char *first = p += other;
  for (; *p != ']' || p == first; ) {
    bool is = false;
    const char *behind = p[0] == '[' && p[1] == ':' ? class_of(p + 2, c, &is) : NULL;
    if (behind != NULL) {
      in |= is;
      p = behind;
      continue;
    }
    if (*p == '\\' && !(flags & NO_ESCAPE))
      p++;
    if (*p == '\0' || (*p == '/' && flags & PATHNAME)) {
      *end = NULL;
      return false;
    }
    unsigned char low = (unsigned char)*p++, high = low;
    if (p[0] == '-' && p[1] != ']' && p[1] != '\0') {
      p += p[1] == '\\' && !(flags & NO_ESCAPE) ? 2 : 1;
      high = (unsigned char)*p++;
    }
    int least = folded(low, flags), most = folded(high, flags), it = folded(c, flags);
    in |= (it >= least) & (it <= most);
  }
  *end = p + 1;
  return in != other;
}

PUBLIC int fnmatch(const char *pattern, const char *text, int flags) {
  const char *start = text;
  for (;; text++) {
    char p = *pattern++;
    /* A period at the beginning is matched by itself alone. */
    bool period = flags & PERIOD && *text == '.' && (text == start || (flags & PATHNAME && text[-1] == '/'));
    if (p == '\0')
      return *text == '\0' || (flags & LEADING_DIRECTORY && *text == '/') ? 0 : NO_MATCH;
    if (p == '*') {
      if (period)
        return NO_MATCH;
      for (;; text++) {
        int rest = flags & PERIOD && text != start && !(flags & PATHNAME && text[-1] == '/') ? flags & ~PERIOD : flags;
        if (fnmatch(pattern, text, rest) == 0)
          return 0;
        if (*text == '\0' || (*text == '/' && flags & PATHNAME))
          return NO_MATCH;
      }
    }
    if (*text == '\0')
      return NO_MATCH;
    bool slash = *text == '/' && flags & PATHNAME;
    if (p == '?') {
      if (slash || period)
        return NO_MATCH;
      continue;
    }
    const char *behind = NULL;
    if (p == '[') {
      bool in = is_in(pattern, (unsigned char)*text, flags, &behind);
      if (behind != NULL && (!in || slash || period))
        return NO_MATCH;
    }
    if (behind != NULL) {
      pattern = behind;
      continue;
    }
    if (p == '\\' && !(flags & NO_ESCAPE) && (p = *pattern++) == '\0')
      return NO_MATCH;
    if (folded((unsigned char)p, flags) != folded((unsigned char)*text, flags))
      return NO_MATCH;
  }
}
