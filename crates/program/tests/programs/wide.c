// Returns the number of the first check that fails, 0 if none does.
typedef int int4 __attribute__((vector_size(16)));
typedef long long2 __attribute__((vector_size(16)));
typedef unsigned char char16 __attribute__((vector_size(16)));
typedef unsigned __int128 u128;

static volatile int one = 1;
static _BitInt(37) odd(_BitInt(37) *p) { *p += 3; return *p; }
static u128 multiply(unsigned long a, unsigned long b) { return (u128)a * b; }
static int atomics(int *p) {
  __atomic_fetch_add(p, 5, __ATOMIC_SEQ_CST);
  __sync_fetch_and_nand(p, 3);
  __atomic_fetch_max(p, -4, __ATOMIC_SEQ_CST);
  int expected = -1;
  return __atomic_compare_exchange_n(p, &expected, 11, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) +
         2 * __atomic_exchange_n(p, 1, __ATOMIC_SEQ_CST);
}

int main(void) {
  int4 a = {1, 2, 3, 4}, b = {4, 3, 2, one};
  int4 c = a * b + (a < b);
  if (c[0] != 3 || c[1] != 5 || c[2] != 6 || c[3] != 4) return 1;
  int i = one + 1;
  a[i] = 9;
  if (a[i] != 9 || a[i + 1] != 4 || a[one] != 2) return 2;
  long2 w = (long2)b;
  if (w[0] != 0x300000004 || w[1] != 0x100000002) return 3;
  char16 bytes = (char16)w;
  if (bytes[4] != 3 || bytes[12] != 1 || bytes[13]) return 4;
  int4 m = __builtin_shufflevector(a, b, 0, 7, 2, 4);
  if (m[0] != 1 || m[1] != 1 || m[2] != 9 || m[3] != 4) return 5;
  u128 big = multiply(0xffffffffffffffffUL, 0x100000001UL) + one;
  if ((unsigned long)(big >> 64) != 0x100000000 || (unsigned long)big != 0xffffffff00000000UL) return 6;
  if (big / 3 * 3 + big % 3 != big || big <= 7 || !(((u128)1 << 100) > big)) return 7;
  _BitInt(37) o = -5;
  if (odd(&o) != -2 || o != -2) return 8;
  _Bool flag = one > 0, other = !flag;
  if (!flag || other || flag + 1 != 2) return 9;
  int n = 3;
  if (atomics(&n) != 1 + 2 * 11 || n != 1) return 10;
  float sums[8] = {1, 2, 3, 4, 5, 6, 7, 8}, total = 0;
  for (int k = 0; k < 8; k++) sums[k] = sums[k] * 2 + one;
  for (int k = 0; k < 8; k++) total += sums[k];
  if (total != 80) return 11;
  return 0;
}
