/* Classes of wide characters in the "C" locale: those of ASCII. */
#include "libc.h"

#define CLASS(name)                                                                                                    \
  PUBLIC int isw##name(wint_t c) { return c < 128 && is##name((int)c); }

CLASS(alnum)
CLASS(alpha)
CLASS(blank)
CLASS(cntrl)
CLASS(digit)
CLASS(graph)
CLASS(lower)
CLASS(print)
CLASS(punct)
CLASS(space)
CLASS(upper)
CLASS(xdigit)

PUBLIC wint_t towlower(wint_t c) { return c < 128 ? (wint_t)tolower((int)c) : c; }
PUBLIC wint_t towupper(wint_t c) { return c < 128 ? (wint_t)toupper((int)c) : c; }

struct class {
  const char *name;
  int (*test)(wint_t c);
};

static const struct class classes[] = {
    {"alnum", iswalnum}, {"alpha", iswalpha}, {"blank", iswblank}, {"cntrl", iswcntrl},
    {"digit", iswdigit}, {"graph", iswgraph}, {"lower", iswlower}, {"print", iswprint},
    {"punct", iswpunct}, {"space", iswspace}, {"upper", iswupper}, {"xdigit", iswxdigit},
};

/* A wctype_t is the number of a class from 1; 0 is none. */
PUBLIC unsigned long wctype(const char *name) {
  size_t length = strlen(name);
  for (unsigned long i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strncmp(classes[i].name, name, length + 1) == 0)
      return i + 1;
  return 0;
}

PUBLIC int iswctype(wint_t c, unsigned long type) {
  return type > 0 && type <= sizeof classes / sizeof *classes && classes[type - 1].test(c);
}
