// Returns the number of the first check that fails, 0 if none does.
static volatile int source = 5;

static int collatz(unsigned n) { int steps = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; } return steps; }
static int sw(int c) { switch (c) { case -3: return 1; case 0: case 1: return 2; case 1000: return 3; default: return 4; } }
static int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
static int fib(int n) { int a = 0, b = 1; for (int i = 0; i < n; i++) { int t = a + b; a = b; b = t; } return a; }
static int labels(const unsigned char *code) {
  static void *table[] = {&&halt, &&up, &&twice};
  int value = 1;
  goto *table[*code];
up: value++; goto *table[*++code];
twice: value *= 2; goto *table[*++code];
halt: return value;
}
static int logic(int a, int b, int c) { return (a && b) || (!c && (a ? b : c)); }
static unsigned rotate(unsigned x, int n) { return x << n | x >> (32 - n); }

int main(void) {
  if (collatz(27) != 111) return 1;
  if (sw(-3) != 1 || sw(1) != 2 || sw(1000) != 3 || sw(999) != 4) return 2;
  if (gcd(84, 36) != 12) return 3;
  if (fib(20) != 6765) return 4;
  if (labels((const unsigned char *)"\1\2\1\0") != 5) return 5;
  if (!logic(1, 2, 0) || logic(0, 2, 0) || logic(1, 0, 1)) return 6;
  if (rotate(0x80000001u, 4) != 0x18) return 7;
  signed char small = (signed char)(source * 50);
  if (small != -6) return 8;
  if (-7 / 2 != -3 || -7 % 2 != -1 || (-source >> 1) != -3) return 9;
  unsigned long long big = 0x123456789abcdefULL * (unsigned)source;
  if (big != 0x5b05b05b05b05abULL) return 10;
  double d = source / 2.0;
  if (d != 2.5 || (int)(d * 3) != 7 || (float)d != 2.5f || !(d > 2) || d != d) return 11;
  int overflow;
  if (!__builtin_add_overflow(0x7fffffff, source, &overflow) || __builtin_mul_overflow(source, 3, &overflow) || overflow != 15) return 12;
  if (__builtin_popcount(source) != 2 || __builtin_clz(source) != 29 || __builtin_ctz(source * 8) != 3) return 13;
  if (__builtin_bswap32(0x11223344) != 0x44332211) return 14;
  return 0;
}
