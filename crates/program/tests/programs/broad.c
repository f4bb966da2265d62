// A bit of everything: lowering must get through it without panic, and name what it does not support.
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int int4 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef long long2 __attribute__((vector_size(16)));
typedef char char16 __attribute__((vector_size(16)));

int4 add4(int4 a, int4 b) { return a * b + (a < b); }
int pick(int4 v, int i) { v[i] = 7; return v[(i + 1) & 3]; }
long2 view(int4 v) { return (long2)v; }
char16 bytes(float4 v) { return (char16)v; }
int4 mix(int4 a, int4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, -1); }
float4 scale(float4 v, float f) { return v * f; }

unsigned __int128 wide(unsigned __int128 a, unsigned __int128 b) { return a * b + ((unsigned __int128)1 << 100); }
_BitInt(37) odd(_BitInt(37) *p) { *p += 3; return *p << 2; }
long double longer(long double a, double b) { return a * b; }
_Bool flip(_Bool *p) { *p = !*p; return *p; }
double complex rotate(double complex z) { return z * I; }
_Float16 half(_Float16 a) { return a; }

_Atomic int counter;
int atomics(int *p) {
  atomic_fetch_add(&counter, 2);
  atomic_fetch_xor(&counter, 5);
  __sync_fetch_and_nand(p, 3);
  __atomic_fetch_max(p, 3, __ATOMIC_SEQ_CST);
  int expected = 4;
  atomic_compare_exchange_strong(&counter, &expected, 6);
  atomic_thread_fence(memory_order_seq_cst);
  return atomic_exchange(&counter, 1) + expected;
}

jmp_buf environment;
int jumps(int n) {
  int twice = n * 2;
  if (setjmp(environment)) return twice;
  longjmp(environment, 1);
}

int dispatch(const unsigned char *code) {
  static void *labels[] = {&&halt, &&increment, &&decrement};
  int value = 0;
  goto *labels[*code];
increment: value++; goto *labels[*++code];
decrement: value--; goto *labels[*++code];
halt: return value;
}

struct bits { unsigned a : 3; int b : 7; unsigned long long c : 40; } __attribute__((packed));
union number { float f; unsigned u; unsigned char b[4]; };
int fields(struct bits *s) { s->a = 5; s->b = -3; s->c++; return s->a + s->b; }
unsigned punning(float f) { union number n; n.f = f; return n.u ^ n.b[1]; }

struct pair { long a, b; };
struct huge { int data[100]; };
struct pair make(long a) { return (struct pair){a, a + 1}; }
struct huge inflate(struct huge h) { h.data[3]++; return h; }

int total(int count, ...) {
  va_list list, again;
  va_start(list, count);
  va_copy(again, list);
  int sum = 0;
  while (count--) sum += va_arg(list, int) + va_arg(again, int);
  va_end(list);
  va_end(again);
  return sum;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int (*const comparison)(const void *, const void *) = compare;
extern __thread int local;
__thread int local = 3;
extern int missing;
static inline int inlined(int x) { return x * local; }
int renamed(int) __attribute__((alias("original")));
int original(int x) { return inlined(x) + missing; }

int arrays(int n) {
  int vla[n];
  memset(vla, 0, sizeof vla);
  int fixed[4][5] = {{1, 2}, [2] = {3}};
  char *text = alloca(n + 1);
  text[n] = 0;
  return vla[n - 1] + fixed[n & 3][2] + (int)strlen(text);
}

int builtins(unsigned x, long y) {
  int overflow;
  if (__builtin_add_overflow((int)x, 5, &overflow)) return 0;
  if (__builtin_expect(x == 4, 0)) __builtin_trap();
  __builtin_assume(y > 3);
  return __builtin_popcount(x) + __builtin_clz(x | 1) + __builtin_ctzl(y | 1) + (int)__builtin_bswap64(y) +
         __builtin_constant_p(x) + (int)__builtin_object_size(&x, 0) + (int)fabs(overflow) + abs((int)y) +
         (int)(x << 5 | x >> 27) + __builtin_isnan((double)x);
}

int assembly(int x) {
  __asm__ volatile("" : "+r"(x) : : "memory");
  __asm__ volatile("cpuid" : "=a"(x) : "a"(x) : "ebx", "ecx", "edx");
  return x;
}
void *frames(void) { return (char *)__builtin_frame_address(0) - (long)__builtin_return_address(0); }

int main(int argc, char **argv, char **envp) {
  int numbers[3] = {3, 1, 2};
  qsort(numbers, 3, sizeof *numbers, comparison);
  struct huge h = {{1}};
  printf("%d %s %p\n", numbers[0], argv[argc - 1], (void *)envp);
  return (int)make(argc).b + inflate(h).data[3] + total(2, 1, 2) + arrays(argc) + renamed(2);
}
