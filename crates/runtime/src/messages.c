/* Messages about errors: <err.h>, <error.h>, and what programs in other languages would read (<libintl.h>), of which
 * there is none. */
#include "libc.h"

int fprintf(FILE *restrict stream, const char *restrict format, ...);
int fflush(FILE *stream), fputc(int c, FILE *stream);

/* Natively the name of the program's file; here the same for all. */
static char name[] = "program";
PUBLIC char *program_invocation_name = name, *program_invocation_short_name = name;
PUBLIC const char *__progname = name, *__progname_full = name;

/* ---- <err.h> ---- */

static void say(const char *format, va_list arguments, int error) {
  fprintf(stderr, "%s: ", program_invocation_short_name);
  if (format != NULL)
    vfprintf(stderr, format, arguments);
  if (error >= 0)
    fprintf(stderr, format == NULL ? "%s" : ": %s", strerror(error));
  fputc('\n', stderr);
}

PUBLIC void vwarn(const char *format, va_list arguments) { say(format, arguments, errno); }
PUBLIC void vwarnx(const char *format, va_list arguments) { say(format, arguments, -1); }
PUBLIC NORETURN void verr(int status, const char *format, va_list arguments) {
  say(format, arguments, errno);
  exit(status);
}
PUBLIC NORETURN void verrx(int status, const char *format, va_list arguments) {
  say(format, arguments, -1);
  exit(status);
}

#define LIST(statement)                                                                                                \
  va_list arguments;                                                                                                   \
  va_start(arguments, format);                                                                                         \
  statement;                                                                                                           \
  va_end(arguments)

PUBLIC void warn(const char *format, ...) { LIST(vwarn(format, arguments)); }
PUBLIC void warnx(const char *format, ...) { LIST(vwarnx(format, arguments)); }
PUBLIC NORETURN void err(int status, const char *format, ...) { LIST(verr(status, format, arguments)); }
PUBLIC NORETURN void errx(int status, const char *format, ...) { LIST(verrx(status, format, arguments)); }

/* ---- <error.h> ---- */

PUBLIC unsigned error_message_count;
PUBLIC int error_one_per_line;
PUBLIC void (*error_print_progname)(void);

static void begin(const char *between) {
  fflush(stdout);
  if (error_print_progname != NULL)
    error_print_progname();
  else
    fprintf(stderr, "%s:%s", program_invocation_name, between);
}

static void end(int status, int error) {
  error_message_count++;
  if (error != 0)
    fprintf(stderr, ": %s", strerror(error));
  fputc('\n', stderr);
  if (status != 0)
    exit(status);
}

PUBLIC void error(int status, int number, const char *format, ...) {
  begin(" ");
  LIST(vfprintf(stderr, format, arguments));
  end(status, number);
}

PUBLIC void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
  static const char *last_file;
  static unsigned last_line;
  if (error_one_per_line) {
    bool told = last_line == line && (last_file == file || (last_file != NULL && file != NULL && strcmp(last_file, file) == 0));
    if (told)
      return;
    last_file = file;
    last_line = line;
  }
  begin("");
  if (file != NULL)
    fprintf(stderr, "%s:%u: ", file, line);
  else
    fputc(' ', stderr);
  LIST(vfprintf(stderr, format, arguments));
  end(status, number);
}

/* ---- <libintl.h>: every message is its own translation ---- */

static const char *by_number(const char *one, const char *several, unsigned long n) { return n == 1 ? one : several; }

PUBLIC char *gettext(const char *text) { return (char *)text; }
PUBLIC char *dgettext(const char *domain, const char *text) { return (void)domain, (char *)text; }
PUBLIC char *dcgettext(const char *domain, const char *text, int category) {
  return (void)domain, (void)category, (char *)text;
}
PUBLIC char *ngettext(const char *one, const char *several, unsigned long n) { return (char *)by_number(one, several, n); }
PUBLIC char *dngettext(const char *domain, const char *one, const char *several, unsigned long n) {
  return (void)domain, (char *)by_number(one, several, n);
}
PUBLIC char *dcngettext(const char *domain, const char *one, const char *several, unsigned long n, int category) {
  return (void)domain, (void)category, (char *)by_number(one, several, n);
}
PUBLIC char *textdomain(const char *domain) { return domain == NULL ? "messages" : (char *)domain; }
PUBLIC char *bindtextdomain(const char *domain, const char *directory) { return (void)domain, (char *)directory; }
PUBLIC char *bind_textdomain_codeset(const char *domain, const char *codes) { return (void)domain, (char *)codes; }
