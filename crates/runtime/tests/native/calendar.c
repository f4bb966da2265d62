/* Dates in UTC, and options among arguments. */
#include "harness.h"
#include <getopt.h>
#include <libgen.h>
#include <time.h>
#include <unistd.h>

struct tm *rt_gmtime_r(const time_t *, struct tm *);
time_t rt_timegm(struct tm *);
size_t rt_strftime(char *, size_t, const char *, const struct tm *);
char *rt_asctime_r(const struct tm *, char *);

static bool same(const struct tm *a, const struct tm *b) {
  return a->tm_sec == b->tm_sec && a->tm_min == b->tm_min && a->tm_hour == b->tm_hour && a->tm_mday == b->tm_mday &&
         a->tm_mon == b->tm_mon && a->tm_year == b->tm_year && a->tm_wday == b->tm_wday && a->tm_yday == b->tm_yday;
}

static void date(time_t t) {
  struct tm got, wanted;
  struct tm *real = gmtime_r(&t, &wanted);
  CHECK((rt_gmtime_r(&t, &got) == NULL) == (real == NULL), "%lld", (long long)t);
  if (real == NULL)
    return;
  CHECK(same(&got, &wanted), "%lld: %d-%d-%d", (long long)t, got.tm_year, got.tm_mon, got.tm_mday);
  if (wanted.tm_year + 1900 < 1000 || wanted.tm_year + 1900 > 9999)
    return;
  wanted.tm_zone = "UTC";
  static const char *const formats[] = {"%a %A %b %B %h|%c|%C|%d|%D|%e|%F|%g|%G|%H|%I|%j|%k|%l", "%m|%M%n%p%P|%r|%R|%s|%S%t%T|%u|%U|%V|%w|%W",
                                        "%x|%X|%y|%Y|%z|%%|%-d|%_m|%0e|%-j|%Ey|%Od", "%q"};
  for (int i = 0; i < 4; i++) {
    char x[200] = "", y[200] = "";
    size_t size = below(3) == 0 ? below(60) + 1 : sizeof x;
    size_t n = rt_strftime(x, size, formats[i], &wanted), m = strftime(y, size, formats[i], &wanted);
    CHECK(n == m && (n == 0 || strcmp(x, y) == 0), "%lld: \"%s\", not \"%s\"", (long long)t, x, y);
  }
  char x[64], y[64];
  CHECK(strcmp(rt_asctime_r(&wanted, x), asctime_r(&wanted, y)) == 0, "%s", x);
}

static void dates(void) {
  static const time_t edges[] = {0, -1, 951782399, 951782400, 1709164800, 4107542399, INT_MAX, INT_MIN, -62135596800, 253402300799};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
    date(edges[i]);
  for (int i = 0; i < 20000; i++)
    date((time_t)(random_bits() >> (sizeof(time_t) == 4 ? 33 : 8 + below(30))) * (below(2) ? 1 : -1));
  for (int i = 0; i < 20000; i++) {
    struct tm x = {.tm_year = (int)below(400) - 100, .tm_mon = (int)below(60) - 30, .tm_mday = (int)below(800) - 400,
                   .tm_hour = (int)below(200) - 100, .tm_min = (int)below(200) - 100, .tm_sec = (int)below(9000) - 100};
    struct tm y = x;
    if (sizeof(time_t) == 4 && (x.tm_year < 5 || x.tm_year > 130))
      continue;
    time_t got = rt_timegm(&x), wanted = timegm(&y);
    CHECK(got == wanted && same(&x, &y), "%lld, not %lld", (long long)got, (long long)wanted);
  }
}

/* ---- getopt ---- */

int rt_getopt(int, char *const *, const char *);
int rt_getopt_long(int, char *const *, const char *, const struct option *, int *);
int rt_getopt_long_only(int, char *const *, const char *, const struct option *, int *);
extern char *rt_optarg;
extern int rt_optind, rt_opterr, rt_optopt;

enum { MOST = 7 };
static const char *const words[] = {"-a", "-b", "-bx", "-ab", "-c", "-cv", "-z", "-", "--", "x", "yy", "--all", "--al", "--a", "--big", "--big=1",
                                    "--both", "--b", "--opt", "--opt=2", "--none=3", "--nothing", "-all", "-big=7", "-opt"};
static const char *const lists[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", ""};

static void arguments(void) {
  static int flag, rt_flag;
  const struct option real[] = {{"all", 0, NULL, 'a'}, {"big", 1, NULL, 'B'}, {"both", 1, NULL, 'C'}, {"opt", 2, &flag, 5}, {"none", 0, NULL, 9}, {0}};
  struct option ours[6];
  memcpy(ours, real, sizeof real);
  ours[3].flag = &rt_flag;
  char *x[MOST + 1] = {"program"}, *y[MOST + 1];
  int count = 1 + (int)below(MOST);
  for (int i = 1; i < count; i++)
    x[i] = (char *)words[below(sizeof words / sizeof *words)];
  x[count] = NULL;
  memcpy(y, x, sizeof x);
  const char *list = lists[below(5)];
  int way = (int)below(3);
  optind = rt_optind = 0;
  opterr = rt_opterr = 0;
  for (int round = 0; round < 20; round++) {
    int i = -1, j = -1;
    int got = way == 0   ? rt_getopt(count, x, list)
              : way == 1 ? rt_getopt_long(count, x, list, ours, &i)
                         : rt_getopt_long_only(count, x, list, ours, &i);
    int wanted = way == 0 ? getopt(count, y, list) : way == 1 ? getopt_long(count, y, list, real, &j) : getopt_long_only(count, y, list, real, &j);
    bool argument = (rt_optarg == NULL) == (optarg == NULL) && (optarg == NULL || strcmp(rt_optarg, optarg) == 0);
    CHECK(got == wanted && argument && rt_optind == optind && i == j && rt_flag == flag && (got != '?' || rt_optopt == optopt),
          "%s way %d, %d: %s %s %s %s: %d, not %d; optind %d, not %d; optopt %d, not %d", list, way, count, x[1], count > 2 ? x[2] : "",
          count > 3 ? x[3] : "", count > 4 ? x[4] : "", got, wanted, rt_optind, optind, rt_optopt, optopt);
    if (wanted == -1)
      break;
  }
  CHECK(memcmp(x, y, sizeof x) == 0, "another order of arguments");
}

/* ---- names of files ---- */

char *rt_dirname(char *), *rt___xpg_basename(char *);

static void names(void) {
  char x[12], y[12];
  unsigned n = below(sizeof x);
  for (unsigned i = 0; i < n; i++)
    x[i] = "/a."[below(3)];
  x[n] = '\0';
  memcpy(y, x, sizeof x);
  char *got = rt_dirname(x), *wanted = dirname(y);
  CHECK(strcmp(got, wanted) == 0, "\"%s\", not \"%s\"", got, wanted);
  memcpy(x, y, sizeof x);
  got = rt___xpg_basename(x), wanted = __xpg_basename(y);
  CHECK(strcmp(got, wanted) == 0, "\"%s\", not \"%s\"", got, wanted);
}

int main(void) {
  setenv("TZ", "UTC", 1);
  dates();
  for (int i = 0; i < 100000; i++)
    arguments();
  for (int i = 0; i < 5000; i++)
    names();
  return finish();
}
