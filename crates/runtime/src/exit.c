/* The end of the program: exit and its handlers. When main returns, the engine does what exit does: it calls
 * __mneme_run_atexit and then ends the path. */
#include "libc.h"

enum { MOST_HANDLERS = 128 };

struct handler {
  void (*with_argument)(void *);
  void (*plain)(void);
  void *argument;
};

struct handlers {
  struct handler list[MOST_HANDLERS];
  int count;
};

static struct handlers at_exit, at_quick_exit_;

static int add(struct handlers *h, struct handler handler) {
  if (h->count == MOST_HANDLERS)
    return -1;
  h->list[h->count++] = handler;
  return 0;
}

/* Last registered, first called; a handler may register others. */
static void run(struct handlers *h) {
  while (h->count > 0) {
    struct handler handler = h->list[--h->count];
    if (handler.plain != NULL)
      handler.plain();
    else
      handler.with_argument(handler.argument);
  }
}

PUBLIC int atexit(void (*function)(void)) { return add(&at_exit, (struct handler){.plain = function}); }

PUBLIC int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
  (void)library;
  return add(&at_exit, (struct handler){.with_argument = function, .argument = argument});
}

PUBLIC int at_quick_exit(void (*function)(void)) { return add(&at_quick_exit_, (struct handler){.plain = function}); }

PUBLIC void __mneme_run_atexit(void) { run(&at_exit); }

PUBLIC NORETURN void exit(int status) {
  __mneme_run_atexit();
  __mneme_exit(status);
}

PUBLIC NORETURN void quick_exit(int status) {
  run(&at_quick_exit_);
  __mneme_exit(status);
}

PUBLIC NORETURN void _exit(int status) { __mneme_exit(status); }
PUBLIC NORETURN void _Exit(int status) { __mneme_exit(status); }
