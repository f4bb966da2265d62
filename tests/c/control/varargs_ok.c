/* Variable arguments of several types, passed on through a va_list and copied. */
#include <assert.h>
#include <klee/klee.h>
#include <stdarg.h>

static long total(int n, va_list list) {
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += va_arg(list, int);
  return sum;
}

static long sum(int n, ...) {
  va_list list, copy;
  va_start(list, n);
  va_copy(copy, list);
  long a = total(n, list), b = total(n, copy);
  va_end(copy);
  va_end(list);
  assert(a == b);
  return a;
}

static long mixed(const char *kinds, ...) {
  long result = 0;
  va_list list;
  va_start(list, kinds);
  for (; *kinds; kinds++)
    result += *kinds == 'l' ? va_arg(list, long) : *kinds == 'p' ? *va_arg(list, int *) : va_arg(list, int);
  va_end(list);
  return result;
}

int main(void) {
  short x;
  klee_make_symbolic(&x, sizeof x, "x");
  int five = 5;
  assert(sum(9, 1, 2, 3, 4, 5, 6, 7, 8, x) == 36 + x);
  return (int)mixed("ilpi", 1, 2L, &five, 3);
}

// PATHS: 1
// VALUES: 11*1
// EXACT: true
