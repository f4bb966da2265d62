/* The locale. The only one is "C", which is also what "" means without environment variables. */
#include "libc.h"

static bool is_known(const char *name) { return *name == '\0' || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0; }

PUBLIC char *setlocale(int category, const char *locale) {
  (void)category;
  return locale == NULL || is_known(locale) ? "C" : NULL;
}

/* Locales as objects, all of them the same. */
static int only;
PUBLIC void *newlocale(int mask, const char *name, void *base) {
  (void)mask, (void)base;
  if (is_known(name))
    return &only;
  errno = ENOENT;
  return NULL;
}
PUBLIC void *duplocale(void *locale) { return locale; }
PUBLIC void *uselocale(void *locale) { return (void)locale, &only; }
PUBLIC void freelocale(void *locale) { (void)locale; }

struct lconv {
  char *texts[10];
  char numbers[14];
};
PUBLIC struct lconv *localeconv(void) {
  static struct lconv all = {.texts = {".", "", "", "", "", "", "", "", "", ""}};
  for (size_t i = 0; i < sizeof all.numbers; i++)
    all.numbers[i] = CHAR_MAX;
  return &all;
}

/* Each item is a category and a place in it. */
PUBLIC char *nl_langinfo(int item) {
  static char *const times[] = {
      "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat",
      "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
      "AM", "PM", "%a %b %e %H:%M:%S %Y", "%m/%d/%y", "%H:%M:%S", "%I:%M:%S %p"};
  enum { CODES = 14, RADIX = 0x10000, TIMES = 0x20000, CURRENCY = 0x4000f, YES = 0x50000, NO = 0x50001 };
  static const struct {
    int item;
    char *text;
  } others[] = {{CODES, "ANSI_X3.4-1968"}, {RADIX, "."}, {CURRENCY, "-"}, {YES, "^[yY]"}, {NO, "^[nN]"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i].item == item)
      return others[i].text;
  unsigned place = (unsigned)item - TIMES;
  return place < sizeof times / sizeof *times ? times[place] : "";
}
PUBLIC char *nl_langinfo_l(int item, void *locale) { return (void)locale, nl_langinfo(item); }
