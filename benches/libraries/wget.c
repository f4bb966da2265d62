// PACKAGE: wget
// PREPARE: ./configure CC=clang-19 --without-ssl --without-zlib --disable-iri --disable-pcre --disable-pcre2 --without-libpsl --disable-nls --without-libuuid --without-metalink
// SOURCES: src/url.c lib/c-strncasecmp.c lib/c-strcasecmp.c lib/c-ctype.c
// FLAGS: -Isrc -Ilib -DHAVE_CONFIG_H -DSYSTEM_WGETRC="" -DLOCALEDIR=""
// CASES: scheme escape unescape valid
#include "wget.h"
#include "url.h"
#include "text.h"

static int scheme(char *s) { return url_scheme(s) == SCHEME_FTP; }

static int escape(char *s) { return url_escape(s)[0] == '%'; }

static int unescape(char *s) {
  url_unescape(s);
  return *s == '%';
}

static int valid(char *s) { return url_valid_scheme(s); }

struct options opt;
void *xmalloc(size_t size) { return malloc(size); }
char *xstrdup(const char *s) { return strdup(s); }

int main(void) { return CASE(text()); }
