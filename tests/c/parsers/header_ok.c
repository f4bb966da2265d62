/* A header: a name, a colon, and a value without the blanks around it. */
#include "text.h"
#include <string.h>

static int parse(const char *line, char *name, char *value, size_t room) {
  const char *colon = strchr(line, ':');
  if (!colon || (size_t)(colon - line) >= room)
    return -1;
  memcpy(name, line, colon - line);
  name[colon - line] = 0;
  const char *from = colon + 1;
  while (*from == ' ' || *from == '\t')
    from++;
  const char *to = from + strlen(from);
  while (to > from && (to[-1] == '\r' || to[-1] == '\n'))
    to--;
  if ((size_t)(to - from) >= room)
    return -2;
  memcpy(value, from, to - from);
  value[to - from] = 0;
  return 0;
}

int main(void) {
  char name[3], value[3];
  const char *line = text();
  int failed = parse(line, name, value, sizeof name);
  if (failed)
    return -failed;
  klee_assert(strlen(name) < sizeof name && strlen(value) < sizeof value);
  if (value[0])
    return 3;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=4 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart, patterns]: 0 1 2 3
