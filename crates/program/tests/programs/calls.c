// Returns the number of the first check that fails, 0 if none does.
#include <stdarg.h>

struct pair { long a; double b; };
struct floats { float x, y; };
struct large { int data[20]; };
static struct pair make(long a) { return (struct pair){a, a * 0.5}; }
static struct floats flip(struct floats f) { return (struct floats){f.y, f.x}; }
static struct large grow(struct large l, int by) { for (int i = 0; i < 20; i++) l.data[i] += by; return l; }
static int total(const char *kinds, ...) {
  va_list list;
  int sum = 0;
  va_start(list, kinds);
  for (; *kinds; kinds++)
    switch (*kinds) {
    case 'i': sum += va_arg(list, int); break;
    case 'l': sum += (int)va_arg(list, long long); break;
    case 'd': sum += (int)va_arg(list, double); break;
    case 's': sum += va_arg(list, struct large).data[2]; break;
    }
  va_end(list);
  return sum;
}
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }
static int (*volatile operations[])(int, int) = {add, mul};
static int fold(int (*f)(int, int), const int *p, int n) { int r = p[0]; for (int i = 1; i < n; i++) r = f(r, p[i]); return r; }
static int many(int a, long b, char c, short d, float e, double f, unsigned char g, int *h) { return a + b + c + d + (int)e + (int)f + g + *h; }
static int before;
__attribute__((constructor)) static void set(void) { before = 9; }

int main(void) {
  if (before != 9) return 1;
  struct pair p = make(6);
  if (p.a != 6 || p.b != 3) return 2;
  struct floats f = flip((struct floats){1, 2});
  if (f.x != 2 || f.y != 1) return 3;
  struct large l = {{1, 2, 3}};
  struct large m = grow(l, 10);
  if (l.data[2] != 3 || m.data[2] != 13 || m.data[19] != 10) return 4;
  if (total("idsl", 1, 2.5, m, 4LL) != 20) return 5;
  if (total("iiiiiiiidddddddddd", 1, 2, 3, 4, 5, 6, 7, 8, 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.) != 46) return 6;
  if (ackermann(2, 3) != 9) return 7;
  int numbers[] = {2, 3, 4};
  if (fold(operations[0], numbers, 3) != 9 || fold(operations[1], numbers, 3) != 24) return 8;
  if (many(1, 2, 3, 4, 5.5f, 6.5, 7, numbers) != 30) return 9;
  return 0;
}
