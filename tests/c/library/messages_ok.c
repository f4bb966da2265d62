/* <err.h>, <error.h> and <libintl.h>: what they count, and the status with which they end. */
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <klee/klee.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int count;
  klee_make_symbolic(&count, sizeof count, "count");
  assert(strcmp(setlocale(LC_ALL, ""), "C") == 0 && setlocale(LC_ALL, "de_DE") == NULL);
  assert(strcmp(nl_langinfo(RADIXCHAR), ".") == 0 && strcmp(nl_langinfo(MON_12), "December") == 0);
  assert(*localeconv()->decimal_point == '.');
  bindtextdomain("program", "/usr/share/locale");
  textdomain("program");
  assert(strcmp(gettext("text"), "text") == 0 && strcmp(ngettext("one", "several", 2), "several") == 0);
  warnx("%d words", count);
  errno = ENOENT;
  warn("no %s", "file");
  error(0, ENOENT, "no %s", "file");
  assert(error_message_count == 1);
  if (count == 1)
    errx(3, "one");
  error_at_line(4, 0, "file", 7, "%d", count);
  return 0; /* unreachable */
}

// PATHS: 2
// VALUES: 3 4
