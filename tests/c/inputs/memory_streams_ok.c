/* Streams on memory, trees, patterns of the shell, and what a process may ask about itself. */
#define _GNU_SOURCE
#include <assert.h>
#include <fnmatch.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int visited[8], count;
static void visit(const void *node, VISIT when, int depth) {
  (void)depth;
  if (when == postorder || when == leaf)
    visited[count++] = **(int *const *)node;
}
static void keep(void *key) { (void)key; }

int main(void) {
  char *text;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  assert(out != NULL && fprintf(out, "%s-%d", "ab", 12) == 5 && fflush(out) == 0);
  assert(length == 5 && strcmp(text, "ab-12") == 0 && fputs("!", out) >= 0 && fclose(out) == 0 && strcmp(text, "ab-12!") == 0);
  int a, b;
  FILE *in = fmemopen(text, length, "r");
  assert(in != NULL && fscanf(in, "ab%d%c", &a, (char *)&b) == 2 && a == -12 && fgetc(in) == EOF && fclose(in) == 0);
  free(text);
  char small[4] = "zzz";
  FILE *fixed = fmemopen(small, sizeof small, "w");
  assert(fixed != NULL && fputs("hi", fixed) >= 0 && fclose(fixed) == 0 && strcmp(small, "hi") == 0);

  static int numbers[] = {5, 2, 8, 1, 9, 3};
  void *root = NULL;
  for (int i = 0; i < 6; i++)
    assert(**(int **)tsearch(&numbers[i], &root, compare) == numbers[i]);
  int two = 2, seven = 7;
  assert(tfind(&two, &root, compare) != NULL && tfind(&seven, &root, compare) == NULL);
  assert(tdelete(&two, &root, compare) != NULL && tdelete(&seven, &root, compare) == NULL);
  twalk(root, visit);
  assert(count == 5 && visited[0] == 1 && visited[1] == 3 && visited[4] == 9);
  tdestroy(root, keep);

  assert(fnmatch("*.c", "a.c", 0) == 0 && fnmatch("*.c", "a.h", 0) == FNM_NOMATCH && fnmatch("[a-c]?[!x]", "b1y", 0) == 0);
  assert(fnmatch("*", ".x", FNM_PERIOD) == FNM_NOMATCH && fnmatch("a*b", "a/b", FNM_PATHNAME) == FNM_NOMATCH);
  assert(fnmatch("\\*[[:digit:]]", "*7", 0) == 0 && fnmatch("A", "a", FNM_CASEFOLD) == 0 && fnmatch("[", "[", 0) == 0);
  assert(fnmatch("a*.?c", "a.b.xc", FNM_PERIOD) == 0 && fnmatch("*/.x", "a/.x", FNM_PATHNAME | FNM_PERIOD) == 0);

  struct rlimit limit;
  assert(getrlimit(RLIMIT_STACK, &limit) == 0 && getpgrp() > 0);
  syslog(LOG_INFO, "%d", 1);
  const char *bytes = "hey";
  wchar_t wide[8];
  assert(mbsrtowcs(wide, &bytes, 8, NULL) == 3 && bytes == NULL && wide[2] == L'y');
  return 0;
}

// MODELS: objects
// VALUES: 0*1
