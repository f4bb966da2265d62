/* Calendars: <time.h> but for the clocks (time.c). The only time zone is UTC. No loop depends on the date, so that a
 * symbolic clock costs no fork for each year. The replay library contains this file, too: the zone of the machine must
 * not matter. */
#include "libc.h"

enum { DAY = 86400, HOUR = 3600, MINUTE = 60, EPOCH = 719468 /* days from 1 March 0000 to 1 January 1970 */ };
enum { DAYS_400 = 146097 };

struct tm {
  int second, minute, hour, day, month, year, weekday, yearday, summer;
  long offset;
  const char *zone;
};

long time(long *to);
int snprintf(char *restrict to, size_t size, const char *restrict format, ...);

PUBLIC char *tzname[2] = {"UTC", "UTC"};
PUBLIC long timezone;
PUBLIC int daylight;
PUBLIC void tzset(void) {}

static long long floor_div(long long n, long long by) { return n / by - (n % by < 0); }

/* Days from 1970 to a day; months count from 0, and may be any. */
static long long days_to(long long year, long long month, long long day) {
  year += floor_div(month, 12);
  month -= floor_div(month, 12) * 12;
  year -= month < 2; /* years begin in March */
  long long era = floor_div(year, 400), of_era = year - era * 400, from_march = (month + 10) % 12;
  long long of_year = (153 * from_march + 2) / 5 + day - 1;
  return era * DAYS_400 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH;
}

PUBLIC struct tm *gmtime_r(const long *time, struct tm *to) {
  long long days = floor_div(*time, DAY), seconds = *time - days * DAY;
  long long shifted = days + EPOCH, era = floor_div(shifted, DAYS_400), of_era = shifted - era * DAYS_400;
  long long year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  long long from_march = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long long month = (5 * from_march + 2) / 153, day = from_march - (153 * month + 2) / 5 + 1;
  month = (month + 2) % 12;
  long long year = year_of_era + era * 400 + (month < 2);
  if (year - 1900 > INT_MAX || year - 1900 < INT_MIN) {
    errno = EOVERFLOW;
    return NULL;
  }
  long long weekday = (days + 4) % 7;
  *to = (struct tm){
      .second = (int)(seconds % MINUTE), .minute = (int)(seconds % HOUR / MINUTE), .hour = (int)(seconds / HOUR),
      .day = (int)day, .month = (int)month, .year = (int)(year - 1900),
      .weekday = (int)(weekday < 0 ? weekday + 7 : weekday), .yearday = (int)(days - days_to(year, 0, 1)),
      .zone = "UTC"};
  return to;
}

static struct tm shown;
PUBLIC struct tm *gmtime(const long *time) { return gmtime_r(time, &shown); }
PUBLIC struct tm *localtime_r(const long *time, struct tm *to) { return gmtime_r(time, to); }
PUBLIC struct tm *localtime(const long *time) { return gmtime_r(time, &shown); }

PUBLIC long timegm(struct tm *from) {
  long long days = days_to(from->year + 1900ll, from->month, from->day);
  long long seconds = days * DAY + from->hour * (long long)HOUR + from->minute * (long long)MINUTE + from->second;
  long time = (long)seconds;
  if (time != seconds || gmtime_r(&time, from) == NULL) {
    errno = EOVERFLOW;
    return -1;
  }
  return time;
}
PUBLIC long mktime(struct tm *from) { return timegm(from); }
PUBLIC long timelocal(struct tm *from) { return timegm(from); }

/* ---- text ---- */

static const char *const weekdays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

static const char *name_of(const char *const *names, int count, int i) { return i >= 0 && i < count ? names[i] : "?"; }

PUBLIC char *asctime_r(const struct tm *from, char *to) {
  snprintf(to, 26, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", name_of(weekdays, 7, from->weekday), name_of(months, 12, from->month),
           from->day, from->hour, from->minute, from->second, from->year + 1900);
  return to;
}
PUBLIC char *asctime(const struct tm *from) {
  static char text[26];
  return asctime_r(from, text);
}
PUBLIC char *ctime_r(const long *time, char *to) {
  struct tm tm;
  return gmtime_r(time, &tm) == NULL ? NULL : asctime_r(&tm, to);
}
PUBLIC char *ctime(const long *time) {
  struct tm *tm = gmtime(time);
  return tm == NULL ? NULL : asctime(tm);
}

/* The week and year of ISO 8601. */
static int iso_week(const struct tm *t, int *year) {
  int monday_based = (t->weekday + 6) % 7, week = (t->yearday - monday_based + 10) / 7;
  *year = t->year + 1900;
  bool leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  if (week < 1) {
    --*year;
    bool before = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
    return (t->yearday + 365 + before - monday_based + 10) / 7;
  }
  if (week == 53 && t->yearday - monday_based + 3 >= 365 + leap) {
    ++*year;
    return 1;
  }
  return week;
}

/* Text that grows; `full` once it does not fit. */
struct text {
  char *to;
  size_t size, length;
  bool full;
};

static void append(struct text *out, const char *s) {
  size_t length = strlen(s);
  if (out->full || length >= out->size - out->length) {
    out->full = true;
    return;
  }
  memcpy(out->to + out->length, s, length + 1);
  out->length += length;
}

/* What `flag`, one of glibc's "_-0^#", makes of a number. */
static void number(struct text *out, char flag, const char *with_zeros, const char *with_blanks, int n) {
  char digits[16];
  snprintf(digits, sizeof digits, flag == '-' ? "%d" : flag == '_' ? with_blanks : flag == '0' ? with_zeros : with_zeros, n);
  append(out, digits);
}

static void one(struct text *out, char c, char flag, const struct tm *t) {
  char piece[32];
  int year, twelve = t->hour % 12 == 0 ? 12 : t->hour % 12;
  switch (c) {
  case 'a':
    snprintf(piece, sizeof piece, "%.3s", name_of(weekdays, 7, t->weekday));
    return append(out, piece);
  case 'A':
    return append(out, name_of(weekdays, 7, t->weekday));
  case 'b':
  case 'h':
    snprintf(piece, sizeof piece, "%.3s", name_of(months, 12, t->month));
    return append(out, piece);
  case 'B':
    return append(out, name_of(months, 12, t->month));
  case 'C':
    return number(out, flag, "%02d", "%2d", (int)floor_div(t->year + 1900ll, 100));
  case 'd':
    return number(out, flag, "%02d", "%2d", t->day);
  case 'e':
    return number(out, flag == '\0' ? '_' : flag, "%02d", "%2d", t->day);
  case 'g':
    iso_week(t, &year);
    return number(out, flag, "%02d", "%2d", year % 100);
  case 'G':
    iso_week(t, &year);
    return number(out, flag, "%d", "%d", year);
  case 'H':
    return number(out, flag, "%02d", "%2d", t->hour);
  case 'I':
    return number(out, flag, "%02d", "%2d", twelve);
  case 'j':
    return number(out, flag, "%03d", "%3d", t->yearday + 1);
  case 'k':
    return number(out, flag == '\0' ? '_' : flag, "%02d", "%2d", t->hour);
  case 'l':
    return number(out, flag == '\0' ? '_' : flag, "%02d", "%2d", twelve);
  case 'm':
    return number(out, flag, "%02d", "%2d", t->month + 1);
  case 'M':
    return number(out, flag, "%02d", "%2d", t->minute);
  case 'n':
    return append(out, "\n");
  case 'p':
    return append(out, t->hour >= 12 ? "PM" : "AM");
  case 'P':
    return append(out, t->hour >= 12 ? "pm" : "am");
  case 's': {
    struct tm copy = *t;
    snprintf(piece, sizeof piece, "%ld", timegm(&copy));
    return append(out, piece);
  }
  case 'S':
    return number(out, flag, "%02d", "%2d", t->second);
  case 't':
    return append(out, "\t");
  case 'u':
    return number(out, flag, "%d", "%d", t->weekday == 0 ? 7 : t->weekday);
  case 'U':
    return number(out, flag, "%02d", "%2d", (t->yearday + 7 - t->weekday) / 7);
  case 'V':
    return number(out, flag, "%02d", "%2d", iso_week(t, &year));
  case 'w':
    return number(out, flag, "%d", "%d", t->weekday);
  case 'W':
    return number(out, flag, "%02d", "%2d", (t->yearday + 7 - (t->weekday + 6) % 7) / 7);
  case 'y':
    return number(out, flag, "%02d", "%2d", (t->year % 100 + 100) % 100);
  case 'Y':
    return number(out, flag, "%d", "%d", t->year + 1900);
  case 'z':
    return append(out, "+0000");
  case 'Z':
    return append(out, t->zone != NULL ? t->zone : "UTC");
  case '%':
    return append(out, "%");
  default:
    piece[0] = '%', piece[1] = c, piece[2] = '\0';
    append(out, piece);
  }
}

/* What a conversion stands for that consists of others; NULL if it does not. */
static const char *stands_for(char c) {
  static const struct {
    char c;
    const char *format;
  } all[] = {{'c', "%a %b %e %H:%M:%S %Y"}, {'D', "%m/%d/%y"}, {'x', "%m/%d/%y"}, {'F', "%Y-%m-%d"},
             {'r', "%I:%M:%S %p"},          {'R', "%H:%M"},    {'T', "%H:%M:%S"}, {'X', "%H:%M:%S"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].c == c)
      return all[i].format;
  return NULL;
}

/* The conversion at `format` without its `%`; what is behind it. */
static const char *convert(struct text *out, const char *format, const struct tm *t) {
  char flag = '\0';
  if (*format == '_' || *format == '-' || *format == '0')
    flag = *format++;
  if (*format == 'E' || *format == 'O')
    format++;
  if (*format == '\0')
    return format;
  one(out, *format, flag, t);
  return format + 1;
}

static void append_character(struct text *out, char c) {
  char text[2] = {c, '\0'};
  append(out, text);
}

PUBLIC size_t strftime(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict t) {
  struct text out = {to, size, 0, false};
  if (size == 0)
    return 0;
  *to = '\0';
  while (*format != '\0') {
    if (*format != '%') {
      append_character(&out, *format++);
      continue;
    }
    format++;
    const char *parts = stands_for(*format);
    if (parts == NULL) {
      format = convert(&out, format, t);
      continue;
    }
    format++;
    while (*parts != '\0')
      if (*parts == '%')
        parts = convert(&out, parts + 1, t);
      else
        append_character(&out, *parts++);
  }
  return out.full ? 0 : out.length;
}
