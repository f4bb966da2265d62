/* Exact decimal numbers of any size, for conversions between binary floating point and text. */
#ifndef MNEME_DECIMAL_H
#define MNEME_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#define LIMB_BASE 1000000000u
enum { LIMB_DIGITS = 9 };

/* The sum of limb[i] · 10⁹^(point-1-i) over top <= i < end; limbs outside [top, end) are zero and never read.
 * The owner provides storage that the number cannot outgrow. */
struct decimal {
  uint32_t *limb;
  int point;
  int top, end;
};

/* Invariant after each: no zero limb at the top, none after the point at the end. */
void __mneme_decimal_set(struct decimal *x, uint64_t integer);
void __mneme_decimal_double(struct decimal *x, int times); /* x := x · 2^times */
void __mneme_decimal_halve(struct decimal *x, int times);  /* x := x / 2^times */

#endif
