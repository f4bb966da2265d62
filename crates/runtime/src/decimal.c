/* Exact decimal numbers: the three operations that printf and strtod need (see decimal.h for the representation).
 * Everything is exact, so that rounding happens once, where the result is taken. */
#include "decimal.h"

/* A limb shifted by this much, plus a carry, fits 64 bits. */
enum { STEP = 32 };

static void trim(struct decimal *x) {
  while (x->top < x->end && x->limb[x->top] == 0)
    x->top++;
  while (x->end > x->point && x->end > x->top && x->limb[x->end - 1] == 0)
    x->end--;
}

void __mneme_decimal_set(struct decimal *x, uint64_t integer) {
  x->top = x->end = x->point;
  for (; integer != 0; integer /= LIMB_BASE)
    x->limb[--x->top] = (uint32_t)(integer % LIMB_BASE);
}

static void double_step(struct decimal *x, int times) {
  uint64_t carry = 0;
  for (int i = x->end - 1; i >= x->top; i--) {
    uint64_t limb = ((uint64_t)x->limb[i] << times) + carry;
    carry = limb / LIMB_BASE;
    x->limb[i] = (uint32_t)(limb % LIMB_BASE);
  }
  for (; carry != 0; carry /= LIMB_BASE)
    x->limb[--x->top] = (uint32_t)(carry % LIMB_BASE);
  trim(x);
}

static void halve_step(struct decimal *x, int times) {
  uint64_t mask = ((uint64_t)1 << times) - 1, rest = 0;
  for (int i = x->top; i < x->end; i++) {
    uint64_t limb = rest * LIMB_BASE + x->limb[i];
    x->limb[i] = (uint32_t)(limb >> times);
    rest = limb & mask;
  }
  while (rest != 0) { /* ends: 10⁹ has nine factors of two, the rest has fewer with every limb */
    uint64_t limb = rest * LIMB_BASE;
    x->limb[x->end++] = (uint32_t)(limb >> times);
    rest = limb & mask;
  }
  trim(x);
}

void __mneme_decimal_double(struct decimal *x, int times) {
  for (; times > STEP; times -= STEP)
    double_step(x, STEP);
  double_step(x, times);
}

void __mneme_decimal_halve(struct decimal *x, int times) {
  for (; times > STEP; times -= STEP)
    halve_step(x, STEP);
  halve_step(x, times);
}
