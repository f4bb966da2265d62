/* Vector types: element by element, shuffles, comparison masks, elements chosen at run time, and reductions. */
#include <assert.h>

typedef int v4si __attribute__((vector_size(16)));
typedef unsigned char v16qi __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef short v8hi __attribute__((vector_size(16)));

static volatile int place = 2;

__attribute__((noinline)) static v4si twice(v4si a) { return a + a; }

int main(void) {
  v4si a = {1, -2, 3, -4}, b = {4, 3, 2, 1};
  v4si c = twice(a) * b - 1;
  assert(c[0] == 7 && c[1] == -13 && c[2] == 11 && c[3] == -9);
  v4si less = a < b;
  assert(less[0] == -1 && less[2] == 0);
  v4si mixed = __builtin_shufflevector(a, b, 3, 7, 0, 5);
  assert(mixed[0] == -4 && mixed[1] == 1 && mixed[2] == 1 && mixed[3] == 3);
  a[place] = 9;
  assert(a[place] == 9 && a[place - 1] == -2);
  v4sf f = __builtin_convertvector(b, v4sf) / 2;
  assert(f[0] == 2.0f && f[1] == 1.5f);
  v16qi bytes = (v16qi)b;
  assert(bytes[0] == 4 && bytes[1] == 0 && bytes[4] == 3);
  v8hi shifted = (v8hi){1, 2, 3, 4, 5, 6, 7, 8} << 3;
  assert(shifted[7] == 64);
  assert(__builtin_reduce_add(a) == 4 && __builtin_reduce_max(b) == 4 && __builtin_reduce_min(a) == -4);
  assert(__builtin_reduce_xor(b) == (4 ^ 3 ^ 2 ^ 1) && __builtin_reduce_and(b) == 0 && __builtin_reduce_or(b) == 7);
  assert(__builtin_reduce_mul(b) == 24 && __builtin_reduce_max(f) == 2.0f);
  v4si least = __builtin_elementwise_min(a, b), size = __builtin_elementwise_abs(a);
  assert(least[1] == -2 && size[3] == 4);
  int numbers[64], sum = 0, greatest = -1;
  for (int i = 0; i < 64; i++) numbers[i] = (i * 37) % 64 - place;
  for (int i = 0; i < 64; i++) {
    sum += numbers[i];
    greatest = numbers[i] > greatest ? numbers[i] : greatest;
  }
  assert(sum == 64 * 63 / 2 - 128 && greatest == 61);
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
