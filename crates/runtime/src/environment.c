/* Environment variables and the locale. The environment is empty unless the engine points `environ` to one. */
#include "libc.h"

static char *nothing[1] = {NULL};
PUBLIC char **environ = nothing;

/* Where NAME=… stands in the environment, or where the environment ends. */
static char **find(const char *name, size_t length) {
  char **entry = environ;
  while (*entry != NULL && !(strncmp(*entry, name, length) == 0 && (*entry)[length] == '='))
    entry++;
  return entry;
}

static bool is_name(const char *name) { return name != NULL && *name != '\0' && strchr(name, '=') == NULL; }

PUBLIC char *getenv(const char *name) {
  size_t length = strlen(name);
  char *entry = *find(name, length);
  return entry == NULL ? NULL : entry + length + 1;
}

PUBLIC char *secure_getenv(const char *name) { return getenv(name); }

/* Puts `entry` in the place of the variable with its name, or at the end of a larger copy of the environment. */
static int put(char *entry, size_t name_length) {
  static char **own; /* the environ allocated here, if it is */
  char **place = find(entry, name_length);
  if (*place == NULL) {
    size_t count = (size_t)(place - environ);
    char **larger = malloc((count + 2) * sizeof *larger);
    if (larger == NULL)
      return -1;
    memcpy(larger, environ, count * sizeof *larger);
    larger[count + 1] = NULL;
    free(own);
    environ = own = larger;
    place = larger + count;
  }
  *place = entry;
  return 0;
}

PUBLIC int unsetenv(const char *name) {
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  for (char **entry = find(name, strlen(name)); *entry != NULL; entry++)
    entry[0] = entry[1];
  return 0;
}

PUBLIC int putenv(char *entry) {
  char *equals = strchr(entry, '=');
  return equals == NULL ? unsetenv(entry) : put(entry, (size_t)(equals - entry));
}

PUBLIC int setenv(const char *name, const char *value, int overwrite) {
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  size_t length = strlen(name), size = strlen(value) + 1;
  if (!overwrite && *find(name, length) != NULL)
    return 0;
  char *entry = malloc(length + 1 + size);
  if (entry == NULL)
    return -1;
  memcpy(entry, name, length);
  entry[length] = '=';
  memcpy(entry + length + 1, value, size);
  return put(entry, length);
}

PUBLIC int clearenv(void) {
  environ = nothing;
  return 0;
}

/* The only locale is "C", which is also what "" means without environment variables. */
PUBLIC char *setlocale(int category, const char *locale) {
  static char name[] = "C";
  (void)category;
  bool known = locale == NULL || *locale == '\0' || (locale[0] == 'C' && locale[1] == '\0') ||
               (strlen(locale) == 5 && strncmp(locale, "POSIX", 5) == 0);
  return known ? name : NULL;
}
