/* Structures by value in every class of the ABI, and variable arguments of all kinds, copied and read twice. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

struct tiny { char c; };
struct two { int a, b; };
struct mixed { double d; long l; };
struct floats { float x, y, z; };
struct large { int v[9]; };
struct precise { long double x; };
union both { int i; float f; };
struct bits { unsigned a : 3, b : 11; signed c : 5; };

static struct two swap(struct two p) { return (struct two){p.b, p.a}; }
static struct mixed grow(struct mixed m) { return (struct mixed){m.d * 2, m.l + 1}; }
static struct floats turn(struct floats f) { return (struct floats){f.z, f.x, f.y}; }
static struct large fill(struct large l, int by) {
  l.v[8] += by;
  return l;
}
static struct precise third(struct precise p) { return (struct precise){p.x / 3}; }
static struct bits next(struct bits b) { return (struct bits){b.a + 1, b.b + 1, b.c - 1}; }

static double total(int n, ...) {
  va_list list, again;
  double sum = 0;
  va_start(list, n);
  va_copy(again, list);
  for (int pass = 0; pass < 2; pass++) {
    va_list *from = pass ? &again : &list;
    sum += va_arg(*from, int);
    sum += va_arg(*from, double);
    sum += (double)va_arg(*from, long long);
    sum += va_arg(*from, struct tiny).c;
    sum += va_arg(*from, struct mixed).d;
    sum += (double)va_arg(*from, long double);
    sum += va_arg(*from, struct large).v[8];
    sum += va_arg(*from, struct floats).z;
    for (int i = 0; i < 9; i++) sum += va_arg(*from, int) + va_arg(*from, double);
    sum += va_arg(*from, union both).i;
    sum += strlen(va_arg(*from, char *));
  }
  va_end(list);
  va_end(again);
  return sum;
}

int main(void) {
  struct two p = swap((struct two){1, 2});
  struct mixed m = grow((struct mixed){1.5, 7});
  struct floats f = turn((struct floats){1, 2, 3});
  struct large l = fill((struct large){{0, 1, 2, 3, 4, 5, 6, 7, 8}}, 4);
  struct precise t = third((struct precise){1});
  struct bits b = next((struct bits){6, 2000, -16 + 1});
  assert(p.a == 2 && p.b == 1 && m.d == 3 && m.l == 8 && f.x == 3 && f.y == 1 && f.z == 2 && l.v[8] == 12);
  assert(t.x == 1.0L / 3 && b.a == 7 && b.b == 2001 && b.c == -16);
  double sum = total(1, 1, 2.0, 3LL, (struct tiny){4}, (struct mixed){5, 0}, 6.0L, l, f, 1, .5, 1, .5, 1, .5, 1, .5, 1, .5,
                     1, .5, 1, .5, 1, .5, 1, .5, (union both){.i = 7}, "four");
  assert(sum == 2 * (1 + 2 + 3 + 4 + 5 + 6 + 12 + 2 + 9 * 1.5 + 7 + 4));
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
