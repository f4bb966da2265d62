/* Signals that a program sends to itself: handlers, masks, what is pending, and abort with a handler of its own. */
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t count, last;
static jmp_buf back;

static void note(int signal) {
  count++;
  last = signal;
}
static void informed(int number, siginfo_t *info, void *context) {
  assert(info->si_signo == number);
  note(number);
}
static void escape(int number) { longjmp(back, number); }

int main(void) {
  assert(signal(SIGUSR1, note) == SIG_DFL);
  assert(raise(SIGUSR1) == 0 && count == 1 && last == SIGUSR1);
  assert(signal(SIGUSR1, SIG_IGN) == note);
  assert(kill(getpid(), SIGUSR1) == 0 && count == 1);
  assert(signal(SIGKILL, note) == SIG_ERR);

  struct sigaction action = {.sa_sigaction = informed, .sa_flags = SA_SIGINFO | SA_RESETHAND}, old;
  assert(sigaction(SIGUSR2, &action, NULL) == 0);
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  assert(sigprocmask(SIG_BLOCK, &set, &before) == 0);
  raise(SIGUSR2);
  assert(count == 1);
  assert(sigpending(&set) == 0 && sigismember(&set, SIGUSR2) && !sigismember(&set, SIGINT));
  assert(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
  assert(count == 2 && last == SIGUSR2);
  assert(sigaction(SIGUSR2, NULL, &old) == 0 && old.sa_handler == SIG_DFL);

  signal(SIGABRT, escape);
  if (setjmp(back) == 0)
    abort();
  raise(SIGTERM);
  return 1;
}

// RUN:
// RUN: --m32
// VALUES: 143*1
// EXACT: true
