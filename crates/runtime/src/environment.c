/* Environment variables. The environment is empty, but for variables that are symbolic: they enter it when the program
 * first asks for them (natively at the start, from the test). */
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

/* The most characters of the variable if it is symbolic, else 0. */
static size_t most_of(const char *name) {
  for (int i = 0; i < __mneme_inputs.variable_count; i++)
    if (strcmp(__mneme_inputs.variables[i].name, name) == 0)
      return __mneme_inputs.variables[i].most;
  return __mneme_inputs.every_variable ? MODEST_INPUT : 0;
}

/* The first time that the program asks for this variable. */
static bool is_new(const char *name) {
  static struct name {
    struct name *next;
    char text[];
  } *asked;
  for (struct name *one = asked; one != NULL; one = one->next)
    if (strcmp(one->text, name) == 0)
      return false;
  struct name *one = malloc(sizeof *one + strlen(name) + 1);
  if (one == NULL)
    return false;
  strcpy(one->text, name);
  one->next = asked;
  asked = one;
  return true;
}

static void enter_symbolic(const char *name, size_t length, size_t most) {
  char *value = __mneme_symbolic_variable(name, most);
  char *entry = value == NULL ? NULL : malloc(length + most + 2);
  if (entry == NULL)
    return;
  memcpy(entry, name, length);
  entry[length] = '=';
  memcpy(entry + length + 1, value, most + 1);
  put(entry, length);
}

PUBLIC char *getenv(const char *name) {
  size_t length = strlen(name);
  char *entry = *find(name, length);
  if (entry == NULL && is_new(name)) {
    size_t most = most_of(name);
    if (most > 0)
      enter_symbolic(name, length, most);
    else
      __mneme_stays_concrete("the environment variable", name, "--sym-env NAME 16");
    entry = *find(name, length);
  }
  return entry == NULL ? NULL : entry + length + 1;
}

PUBLIC char *secure_getenv(const char *name) { return getenv(name); }

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
