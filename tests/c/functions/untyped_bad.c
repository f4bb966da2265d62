/* Pointers of which no type tells: members of unions, and what is behind a `void *`. They are pointers once they are loaded as
   such; where the path already depends on their bytes as numbers, nobody knows what they refer to. */
#include <stddef.h>
#include <string.h>

struct value {
  int tag;
  union {
    int number;
    const char *text;
    struct value *other;
  } u;
};

struct text {
  union {
    long number;
    const char *text;
  } u;
};

/* A text, or what another value says. */
int first(const struct value *v) {
  if (!v)
    return 0;
  switch (v->tag) {
  case 1:
    return v->u.number == 5 ? 1 : 2;
  case 2:
    return v->u.text[0] == 'x' ? 3 : 4; // FAULT[first]: null-dereference
  }
  return 5;
}

/* Neither a list nor its type is known. */
struct pair {
  struct pair *next;
  int value;
};
int behind(void *p) {
  struct pair *pair = p;
  if (!pair)
    return 0;
  if (!pair->next) // FAULT[behind]: out-of-bounds-read
    return 1;
  return pair->next->value == 7 ? 2 : 3; // FAULT[behind]: out-of-bounds-read
}

/* A number first, then an address. */
int punned(const struct text t[static 1]) {
  if (t->u.number == 5)
    return t->u.text[0]; // STOPS[punned]: a pointer among bytes that no type says to be one
  return 1;
}

// RUN: --function first #first
// PATHS[first]: 4
// EXACT[first]: true
// RUN: --function behind #behind
// PATHS[behind]: 3
// STOPS[behind]: the size of objects made on demand
// RUN: --function punned #punned
// VALUES[punned]: 1
// EXIT[punned]: 3
// MODELS: objects planes
