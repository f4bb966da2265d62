/* What a program may ask about its own process: limits, times, groups, a terminal. It is alone in its session, has used
 * no time, and has neither limits nor a terminal. Absent: other processes. */
#include "libc.h"

enum { USER = 1000, ENOTTY = 25 };

int getpid(void);

struct limits {
  unsigned long now, most;
};
PUBLIC int getrlimit(int what, struct limits *to) {
  enum { OPEN_FILES = 7 };
  *to = what == OPEN_FILES ? (struct limits){64, 64} : (struct limits){-1UL, -1UL};
  return 0;
}
PUBLIC int setrlimit(int what, const struct limits *to) { return (void)what, (void)to, 0; }
PUBLIC int getdtablesize(void) { return 64; }

struct usage {
  long times[4], counts[14];
};
PUBLIC int getrusage(int whose, struct usage *to) {
  (void)whose;
  memset(to, 0, sizeof *to);
  return 0;
}
struct tms {
  long own[2], children[2];
};
PUBLIC long times(struct tms *to) {
  if (to != NULL)
    memset(to, 0, sizeof *to);
  return 0;
}

PUBLIC int getpgrp(void) { return getpid(); }
PUBLIC int getpgid(int process) { return process == 0 ? getpid() : process; }
PUBLIC int getsid(int process) { return getpgid(process); }
PUBLIC int getgroups(int size, unsigned *to) {
  if (size > 0)
    *to = USER;
  return 1;
}
PUBLIC int getpriority(int which, unsigned who) { return (void)which, (void)who, 0; }

static int no_terminal(void) {
  errno = ENOTTY;
  return -1;
}
PUBLIC int tcgetattr(int fd, void *to) { return (void)fd, (void)to, no_terminal(); }
PUBLIC int tcsetattr(int fd, int when, const void *to) { return (void)fd, (void)when, (void)to, no_terminal(); }
PUBLIC int tcgetpgrp(int fd) { return (void)fd, no_terminal(); }
PUBLIC char *ttyname(int fd) {
  (void)fd;
  no_terminal();
  return NULL;
}

/* Nobody reads the log, but what goes into it is read. */
PUBLIC void openlog(const char *name, int options, int facility) { (void)name, (void)options, (void)facility; }
PUBLIC void closelog(void) {}
PUBLIC int setlogmask(int mask) { return (void)mask, 0xff; }
PUBLIC void vsyslog(int priority, const char *format, va_list arguments) {
  char *text;
  (void)priority;
  if (vasprintf(&text, format, arguments) >= 0)
    free(text);
}
PUBLIC void syslog(int priority, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsyslog(priority, format, arguments);
  va_end(arguments);
}
