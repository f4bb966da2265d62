/* Signals that the program sends to itself: the handler runs inside `raise`, or when the signal is unblocked. Absent:
 * signals from outside, from timers, and from the machine. What would make the machine send one (a division by zero, a
 * wild pointer) is reported. */
#include "libc.h"

enum { SIGNALS = 64, ABORT = 6, KILL = 9, CHILD = 17, CONTINUE = 18, STOP = 19, URGENT = 23, WINDOW = 28 };
enum { BLOCK, UNBLOCK, SET_MASK };
enum { WITH_INFO = 4, NO_DEFER = 0x40000000, RESET = (int)0x80000000 };

typedef void handler(int);
#define DEFAULT ((handler *)0)
#define IGNORE ((handler *)1)
#define ERROR ((handler *)-1)

typedef struct {
  unsigned long words[128 / sizeof(long)];
} set;

struct action {
  union {
    handler *handler;
    void (*with_info)(int, void *, void *);
  };
  set blocked;
  int flags;
  void (*restorer)(void);
};

static struct action actions[SIGNALS + 1];
static uint64_t blocked, pending;

static uint64_t bit(int signal) { return (uint64_t)1 << (signal - 1); }

static uint64_t bits(const set *s) {
  uint64_t low = s->words[0];
  return sizeof(long) == 8 ? low : low | (uint64_t)s->words[1] << 16 << 16;
}

static void put(set *s, uint64_t value) {
  memset(s, 0, sizeof *s);
  s->words[0] = (unsigned long)value;
  if (sizeof(long) == 4)
    s->words[1] = (unsigned long)(value >> 32);
}

static bool is_signal(int signal) {
  if (signal >= 1 && signal <= SIGNALS)
    return true;
  errno = EINVAL;
  return false;
}

static bool may_be_caught(int signal) {
  if (is_signal(signal) && signal != KILL && signal != STOP)
    return true;
  errno = EINVAL;
  return false;
}

static void deliver(int signal) {
  struct action action = actions[signal];
  if (action.handler == IGNORE)
    return;
  if (action.handler != DEFAULT) {
    uint64_t before = blocked;
    blocked |= bits(&action.blocked) | (action.flags & NO_DEFER ? 0 : bit(signal));
    if (action.flags & RESET)
      actions[signal].handler = DEFAULT;
    if (action.flags & WITH_INFO) {
      int info[32] = {signal};
      action.with_info(signal, info, NULL);
    } else {
      action.handler(signal);
    }
    blocked = before;
    return;
  }
  switch (signal) {
  case CHILD:
  case CONTINUE:
  case URGENT:
  case WINDOW:
    return;
  case ABORT:
    __mneme_abort();
  default:
    /* As a shell tells how a program died. */
    __mneme_exit(128 + signal);
  }
}

static void deliver_pending(void) {
  for (int signal = 1; signal <= SIGNALS; signal++)
    if (pending & ~blocked & bit(signal)) {
      pending &= ~bit(signal);
      deliver(signal);
    }
}

PUBLIC int sigaction(int signal, const struct action *restrict new, struct action *restrict old) {
  if (!may_be_caught(signal))
    return -1;
  if (old != NULL)
    *old = actions[signal];
  if (new != NULL)
    actions[signal] = *new;
  return 0;
}

PUBLIC handler *signal(int signal, handler *new) {
  if (!may_be_caught(signal))
    return ERROR;
  handler *old = actions[signal].handler;
  actions[signal] = (struct action){.handler = new};
  return old;
}
PUBLIC handler *bsd_signal(int number, handler *new) { return signal(number, new); }
PUBLIC handler *ssignal(int number, handler *new) { return signal(number, new); }
PUBLIC handler *__sysv_signal(int number, handler *new) {
  handler *old = signal(number, new);
  if (old != ERROR)
    actions[number].flags = RESET | NO_DEFER;
  return old;
}

PUBLIC int raise(int signal) {
  if (!is_signal(signal))
    return -1;
  if (blocked & bit(signal) && signal != KILL && signal != STOP)
    pending |= bit(signal);
  else
    deliver(signal);
  return 0;
}

PUBLIC int getpid(void) { return 2; }
PUBLIC int kill(int process, int signal) {
  if (process == getpid() || process == 0)
    return signal == 0 ? 0 : raise(signal);
  errno = EPERM;
  return -1;
}

PUBLIC int sigemptyset(set *s) {
  put(s, 0);
  return 0;
}
PUBLIC int sigfillset(set *s) {
  put(s, ~(uint64_t)0);
  return 0;
}
PUBLIC int sigaddset(set *s, int signal) {
  if (!is_signal(signal))
    return -1;
  put(s, bits(s) | bit(signal));
  return 0;
}
PUBLIC int sigdelset(set *s, int signal) {
  if (!is_signal(signal))
    return -1;
  put(s, bits(s) & ~bit(signal));
  return 0;
}
PUBLIC int sigismember(const set *s, int signal) {
  if (!is_signal(signal))
    return -1;
  return (bits(s) & bit(signal)) != 0;
}

PUBLIC int sigprocmask(int how, const set *restrict new, set *restrict old) {
  uint64_t before = blocked;
  if (new != NULL) {
    if (how < BLOCK || how > SET_MASK) {
      errno = EINVAL;
      return -1;
    }
    uint64_t given = bits(new);
    blocked = how == BLOCK ? blocked | given : how == UNBLOCK ? blocked & ~given : given;
  }
  if (old != NULL)
    put(old, before);
  deliver_pending();
  return 0;
}

PUBLIC int sigpending(set *s) {
  put(s, pending);
  return 0;
}

PUBLIC NORETURN void abort(void) {
  handler *own = actions[ABORT].handler;
  if (own != DEFAULT && own != IGNORE)
    deliver(ABORT);
  __mneme_abort();
}
