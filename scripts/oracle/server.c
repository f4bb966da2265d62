/* Runs a program natively on every input, each in a process of its own, and writes what became of it to standard error.
 *
 * The program is linked with this file, its `main` renamed to `program`; what it makes symbolic it gets from here. Arguments are the
 * inputs in the order in which the program asks for them, each `LEAST:GREATEST`; what is run is their product, the last one fastest.
 * After what a run has reported itself comes a line `@@ STATUS`: `exit N`, `signal N`, or `excluded`. */
#include <mneme.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUTS = 16, SECONDS = 2, EXCLUDED = 253 };

int program(void);

static int least[INPUTS], greatest[INPUTS], value[INPUTS];
static int inputs;
/* How many inputs the program has asked for. */
static int given;

static int next(void) {
  if (given == inputs)
    abort();
  return value[given++];
}

/* The exit code alone cannot tell: the program may end with any. */
static void say(const char *text) {
  if (write(2, text, strlen(text)) < 0)
    _exit(EXCLUDED);
}

static _Noreturn void exclude(void) {
  say("@excluded\n");
  _exit(EXCLUDED);
}

/* A value of one byte, or of more. */
static long checked(long least_of_type, long greatest_of_type) {
  long got = next();
  if (got < least_of_type || got > greatest_of_type)
    abort();
  return got;
}

unsigned char mneme_uchar(const char *name) { return (unsigned char)checked(0, 255); }
signed char mneme_schar(const char *name) { return (signed char)checked(-128, 127); }
bool mneme_bool(const char *name) { return (bool)checked(0, 1); }
int mneme_between(int from, int to, const char *name) { return (int)checked(from, to); }

/* Each byte is an input of its own. */
void mneme_symbolic(void *object, size_t size, const char *name) {
  for (size_t i = 0; i < size; i++)
    ((unsigned char *)object)[i] = (unsigned char)checked(0, 255);
}

void mneme_assume(bool condition) {
  if (!condition)
    exclude();
}

void mneme_assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  fprintf(stderr, "%s:%u:1: runtime error: assertion fails: %s\n", file, line, expression);
  _exit(EXCLUDED);
}

static void run_one(void) {
  pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS);
    given = 0;
    exit(program() & 255);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) < 0) {
    perror("server");
    exit(1);
  }
  char line[64];
  if (WIFSIGNALED(status))
    snprintf(line, sizeof line, "@@ signal %d\n", WTERMSIG(status));
  else
    snprintf(line, sizeof line, "@@ exit %d\n", WEXITSTATUS(status));
  say(line);
}

/* Steps to the next input; false after the last. */
static bool step(void) {
  for (int i = inputs - 1; i >= 0; i--) {
    if (value[i]++ < greatest[i])
      return true;
    value[i] = least[i];
  }
  return false;
}

int main(int count, char **words) {
  inputs = count - 1;
  if (inputs > INPUTS)
    return 2;
  for (int i = 0; i < inputs; i++) {
    if (sscanf(words[i + 1], "%d:%d", &least[i], &greatest[i]) != 2)
      return 2;
    value[i] = least[i];
  }
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  do
    run_one();
  while (step());
  return 0;
}
