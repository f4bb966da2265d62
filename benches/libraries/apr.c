// PACKAGE: apr
// PREPARE: ./configure CC=clang-19
// SOURCES: strings/apr_cpystrn.c strings/apr_strtok.c strings/apr_fnmatch.c strings/apr_strnatcmp.c
// FLAGS: -Iinclude -Iinclude/arch/unix -D_GNU_SOURCE
// CASES: copy collapse token match natural
#include "apr_fnmatch.h"
#include "apr_lib.h"
#include "apr_strings.h"
#include "text.h"

static int copy(char *s) {
  char room[8];
  return apr_cpystrn(room, s, sizeof room) == room + sizeof room - 1;
}

static int collapse(char *s) {
  char *room = malloc(CAPACITY);
  apr_collapse_spaces(room, s);
  return room[0] == 0;
}

static int token(char *s) {
  char *rest, *first = apr_strtok(s, " ,", &rest);
  if (!first)
    return 0;
  return apr_strtok(NULL, " ,", &rest) ? 2 : 1;
}

static int match(char *s) { return apr_fnmatch("a*b", s, 0) == APR_SUCCESS; }

static int natural(char *s) { return apr_strnatcmp(s, "a10") < 0; }

int main(void) { return CASE(text()); }
