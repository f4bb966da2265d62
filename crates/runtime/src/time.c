/* The clock stands still, at a second that every run and every replay agrees on, or is symbolic (--sym-time): what a
 * program does must depend on its inputs alone. Nobody sleeps, and no alarm rings. The replay library contains this
 * file, too. */
#include "libc.h"

enum { NOW = 1000000000, LATEST = INT_MAX }; /* 2001-09-09 01:46:40 UTC, and when 32 bits end */

struct timespec {
  long seconds, nanoseconds;
};

/* A value that a clock shows: at least `*last`, which it becomes. */
static long tick(long *last, const char *name) {
  if (!__mneme_inputs.clock) {
    __mneme_stays_concrete("the clock", NULL, "--sym-time");
    return *last;
  }
  long value;
  klee_make_symbolic(&value, sizeof value, name);
  klee_assume((value >= *last) & (value < LATEST));
  return *last = value;
}

static long now(void) {
  static long last = NOW;
  return tick(&last, "time");
}

PUBLIC long time(long *to) {
  long seconds = now();
  if (to != NULL)
    *to = seconds;
  return seconds;
}

PUBLIC long clock(void) {
  static long last;
  return tick(&last, "clock");
}

PUBLIC int clock_gettime(int clock, struct timespec *to) {
  (void)clock;
  *to = (struct timespec){now(), 0};
  return 0;
}

PUBLIC int gettimeofday(struct timespec *to, void *zone) {
  (void)zone;
  if (to != NULL)
    *to = (struct timespec){now(), 0};
  return 0;
}

PUBLIC int timespec_get(struct timespec *to, int base) {
  *to = (struct timespec){now(), 0};
  return base;
}

PUBLIC int clock_getres(int clock, struct timespec *to) {
  (void)clock;
  if (to != NULL)
    *to = (struct timespec){0, 1};
  return 0;
}

PUBLIC unsigned sleep(unsigned seconds) { return (void)seconds, 0; }
PUBLIC int usleep(unsigned microseconds) { return (void)microseconds, 0; }
PUBLIC int nanosleep(const struct timespec *length, struct timespec *left) { return (void)length, (void)left, 0; }
PUBLIC int clock_nanosleep(int clock, int flags, const struct timespec *length, struct timespec *left) {
  return (void)clock, (void)flags, (void)length, (void)left, 0;
}
PUBLIC unsigned alarm(unsigned seconds) { return (void)seconds, 0; }
