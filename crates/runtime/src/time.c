/* The clock stands still, at a second that every run and every replay agrees on: what a program does must depend on its inputs
 * alone. The replay library contains this file, too. Calendars are absent. */
#include "libc.h"

enum { NOW = 1000000000 }; /* 2001-09-09 01:46:40 UTC */

struct timespec {
  long seconds, nanoseconds;
};

PUBLIC long time(long *to) {
  if (to != NULL)
    *to = NOW;
  return NOW;
}

PUBLIC long clock(void) { return 0; }

PUBLIC int clock_gettime(int clock, struct timespec *to) {
  (void)clock;
  *to = (struct timespec){NOW, 0};
  return 0;
}

PUBLIC int gettimeofday(struct timespec *to, void *zone) {
  (void)zone;
  if (to != NULL)
    *to = (struct timespec){NOW, 0};
  return 0;
}
