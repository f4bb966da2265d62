/* Types that differ in name only: every argument travels the same way. A call without a prototype believes nothing. */
#include <stdio.h>
#include <stdlib.h>

enum color { RED = 3 };

static int length(const char *s) { return s[0] == 'a'; }
static int pick(enum color c) { return (int)c; }
static int old(a, b) int a, b; { return a - b; }
static long address(long p) { return p; }
static int compare(const int *a, const int *b) { return *a - *b; }

int main(void) {
  int (*by_void)(void *) = (int (*)(void *))length;
  int (*by_int)(int) = (int (*)(int))pick;
  int (*unprototyped)() = old;
  char *(*by_pointer)(char *) = (char *(*)(char *))address;
  void (*unwanted)(int) = (void (*)(int))pick;
  int (*print)(const char *, ...) = printf;
  int values[3] = {2, 3, 1};
  qsort(values, 3, sizeof *values, (int (*)(const void *, const void *))compare);
  unwanted(1);
  print("%d\n", values[0]);
  char text[] = "a";
  return by_void(text) + by_int(RED) + unprototyped(7, 5) + (by_pointer(text) == text); // VALUES: 7
}

// PATHS: 1
