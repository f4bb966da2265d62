/* Dates in UTC; with a symbolic clock (--sym-time), no path for each year. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  time_t leap = 951782400; /* 29 February 2000 */
  struct tm *t = gmtime(&leap);
  assert(t->tm_year == 100 && t->tm_mon == 1 && t->tm_mday == 29 && t->tm_wday == 2);
  assert(mktime(localtime(&leap)) == leap && strcmp(ctime(&leap), "Tue Feb 29 00:00:00 2000\n") == 0);
  char text[40];
  assert(strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", t) == 19 && strcmp(text, "2000-02-29 00:00:00") == 0);
  assert(sleep(1000) == 0);

  time_t now = time(NULL);
  if (localtime(&now)->tm_hour < 12)
    return 1;
  return 0;
}

// MODELS: objects planes
// RUN: --sym-time
// PATHS: 2
// VALUES: 0 1
