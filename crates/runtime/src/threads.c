/* What programs with a single thread call of <pthread.h>. Whoever waits for another thread waits for ever: locking a
 * plain mutex twice is an endless loop. Absent: threads, and waiting for conditions. */
#include "libc.h"

enum { PLAIN_LOCK, RECURSIVE, CHECKED };
enum { EDEADLK = 35, EBUSY = 16, EAGAIN = 11, MOST_KEYS = 1024 };

/* As glibc lays it out. */
struct mutex {
  int locked;
  unsigned again;
  int owner;
#if __SIZEOF_POINTER__ == 8
  unsigned users;
  int kind;
#else
  int kind;
  unsigned users;
#endif
};
static int kind(const struct mutex *m) { return m->kind & 3; }

PUBLIC int pthread_mutex_init(struct mutex *m, const int *attributes) {
  m->locked = m->owner = 0;
  m->again = m->users = 0;
  m->kind = attributes == NULL ? PLAIN_LOCK : *attributes;
  return 0;
}
PUBLIC int pthread_mutex_destroy(struct mutex *m) { return m->locked ? EBUSY : 0; }
PUBLIC int pthread_mutex_trylock(struct mutex *m) {
  if (m->locked && kind(m) != RECURSIVE)
    return EBUSY;
  m->again += m->locked != 0;
  m->locked = 1;
  return 0;
}
PUBLIC int pthread_mutex_lock(struct mutex *m) {
  if (pthread_mutex_trylock(m) == 0)
    return 0;
  if (kind(m) == CHECKED)
    return EDEADLK;
  for (;;)
    ;
}
PUBLIC int pthread_mutex_unlock(struct mutex *m) {
  if (m->again > 0)
    m->again--;
  else if (!m->locked && kind(m) != PLAIN_LOCK)
    return EPERM;
  else
    m->locked = 0;
  return 0;
}
PUBLIC int pthread_mutexattr_init(int *attributes) { return *attributes = PLAIN_LOCK; }
PUBLIC int pthread_mutexattr_destroy(int *attributes) { return (void)attributes, 0; }
PUBLIC int pthread_mutexattr_settype(int *attributes, int type) { return *attributes = type, 0; }

/* ---- what one thread never waits for ---- */

#define NOTHING(name)                                                                                                  \
  PUBLIC int name(void *object) { return (void)object, 0; }
NOTHING(pthread_cond_destroy)
NOTHING(pthread_cond_signal)
NOTHING(pthread_cond_broadcast)
NOTHING(pthread_rwlock_destroy)
NOTHING(pthread_rwlock_rdlock)
NOTHING(pthread_rwlock_tryrdlock)
NOTHING(pthread_rwlock_unlock)
NOTHING(pthread_attr_init)
NOTHING(pthread_attr_destroy)
PUBLIC int pthread_cond_init(void *condition, const void *attributes) { return (void)condition, (void)attributes, 0; }
PUBLIC int pthread_rwlock_init(void *lock, const void *attributes) { return (void)lock, (void)attributes, 0; }
PUBLIC int pthread_rwlock_wrlock(void *lock) { return (void)lock, 0; }

PUBLIC unsigned long pthread_self(void) { return 1; }
PUBLIC int pthread_equal(unsigned long a, unsigned long b) { return a == b; }
PUBLIC int sched_yield(void) { return 0; }
int sigprocmask(int how, const void *restrict new, void *restrict old);
PUBLIC int pthread_sigmask(int how, const void *new, void *old) { return sigprocmask(how, new, old) == 0 ? 0 : errno; }

PUBLIC int pthread_once(int *done, void (*function)(void)) {
  if (!*done) {
    *done = 2;
    function();
  }
  return 0;
}

/* ---- what belongs to a thread ---- */

static struct key {
  bool used;
  const void *value;
} keys[MOST_KEYS];

PUBLIC int pthread_key_create(unsigned *to, void (*destructor)(void *)) {
  (void)destructor; /* they are not called for the main thread */
  for (unsigned i = 0; i < MOST_KEYS; i++)
    if (!keys[i].used) {
      keys[i] = (struct key){.used = true};
      *to = i;
      return 0;
    }
  return EAGAIN;
}
PUBLIC int pthread_key_delete(unsigned key) {
  if (key >= MOST_KEYS || !keys[key].used)
    return EINVAL;
  keys[key].used = false;
  return 0;
}
PUBLIC int pthread_setspecific(unsigned key, const void *value) {
  if (key >= MOST_KEYS || !keys[key].used)
    return EINVAL;
  keys[key].value = value;
  return 0;
}
PUBLIC void *pthread_getspecific(unsigned key) { return key < MOST_KEYS ? (void *)keys[key].value : NULL; }
