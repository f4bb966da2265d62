/* What a program with a single thread calls of <pthread.h>; it may lock a plain mutex once. */
#include <assert.h>
#include <klee/klee.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, again;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int calls;
static void begin(void) { calls++; }

int main(void) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&again, &recursive);
  assert(pthread_mutex_lock(&again) == 0 && pthread_mutex_lock(&again) == 0);
  assert(pthread_mutex_unlock(&again) == 0 && pthread_mutex_unlock(&again) == 0);
  pthread_once(&once, begin);
  pthread_once(&once, begin);
  assert(calls == 1);
  assert(pthread_key_create(&key, free) == 0 && pthread_getspecific(key) == NULL);
  pthread_setspecific(key, &calls);
  assert(pthread_getspecific(key) == &calls && pthread_equal(pthread_self(), pthread_self()));

  pthread_mutex_lock(&plain);
  int twice;
  klee_make_symbolic(&twice, sizeof twice, "twice");
  if (twice)
    pthread_mutex_lock(&plain);
  pthread_mutex_unlock(&plain);
  return pthread_mutex_destroy(&plain);
}

// PATHS: 1
// STOPS: a loop comes back to where it was and never ends
