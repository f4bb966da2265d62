/* Division and multiplication of complex numbers: clang calls these where it does not compute by itself.

   C's annex G: what is infinite or zero stays so although the plain formulas give NaN. The quotient of `float` is computed in `double`;
   for the wider types the divisor is scaled by its greater part first (Smith), so that its square does not overflow. */

#include "libc.h"

#define COMPLEX(name, TYPE, divide, multiply)                                                                          \
  static TYPE name##_unit(TYPE x) { return name##_sign(__builtin_isinf(x) ? 1 : 0, x); }                               \
                                                                                                                       \
  static TYPE name##_without_nan(TYPE x) { return __builtin_isnan(x) ? name##_sign(0, x) : x; }                        \
                                                                                                                       \
  PUBLIC _Complex TYPE multiply(TYPE a, TYPE b, TYPE c, TYPE d) {                                                      \
    TYPE ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                                               \
    TYPE real = ac - bd, imaginary = ad + bc;                                                                          \
    if (__builtin_isnan(real) && __builtin_isnan(imaginary)) {                                                         \
      int again = 0;                                                                                                   \
      if (__builtin_isinf(a) || __builtin_isinf(b)) {                                                                  \
        a = name##_unit(a), b = name##_unit(b), c = name##_without_nan(c), d = name##_without_nan(d);                  \
        again = 1;                                                                                                     \
      }                                                                                                                \
      if (__builtin_isinf(c) || __builtin_isinf(d)) {                                                                  \
        c = name##_unit(c), d = name##_unit(d), a = name##_without_nan(a), b = name##_without_nan(b);                  \
        again = 1;                                                                                                     \
      }                                                                                                                \
      if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) {      \
        a = name##_without_nan(a), b = name##_without_nan(b), c = name##_without_nan(c), d = name##_without_nan(d);    \
        again = 1;                                                                                                     \
      }                                                                                                                \
      if (again) {                                                                                                     \
        real = (TYPE)__builtin_inf() * (a * c - b * d);                                                                \
        imaginary = (TYPE)__builtin_inf() * (a * d + b * c);                                                           \
      }                                                                                                                \
    }                                                                                                                  \
    return name##_pair(real, imaginary);                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  PUBLIC _Complex TYPE divide(TYPE a, TYPE b, TYPE c, TYPE d) {                                                        \
    TYPE real, imaginary;                                                                                              \
    name##_quotient(a, b, c, d, &real, &imaginary);                                                                    \
    if (__builtin_isnan(real) && __builtin_isnan(imaginary)) {                                                         \
      TYPE infinite = __builtin_inf();                                                                                 \
      if (c == 0 && d == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {                                          \
        real = name##_sign(infinite, c) * a;                                                                           \
        imaginary = name##_sign(infinite, c) * b;                                                                      \
      } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {       \
        TYPE x = name##_unit(a), y = name##_unit(b);                                                                   \
        real = infinite * (x * c + y * d);                                                                             \
        imaginary = infinite * (y * c - x * d);                                                                        \
      } else if ((__builtin_isinf(c) || __builtin_isinf(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) {       \
        TYPE x = name##_unit(c), y = name##_unit(d);                                                                   \
        real = 0 * (a * x + b * y);                                                                                    \
        imaginary = 0 * (b * x - a * y);                                                                               \
      }                                                                                                                \
    }                                                                                                                  \
    return name##_pair(real, imaginary);                                                                               \
  }

/* What differs between the types: putting a number together, the sign, the quotient. */
#define PIECES(name, TYPE, suffix)                                                                                     \
  static _Complex TYPE name##_pair(TYPE real, TYPE imaginary) {                                                        \
    _Complex TYPE result;                                                                                              \
    __real__ result = real;                                                                                            \
    __imag__ result = imaginary;                                                                                       \
    return result;                                                                                                     \
  }                                                                                                                    \
  static TYPE name##_sign(TYPE x, TYPE sign) { return __builtin_copysign##suffix(x, sign); }

#define SMITH(name, TYPE, suffix)                                                                                      \
  static void name##_quotient(TYPE a, TYPE b, TYPE c, TYPE d, TYPE *real, TYPE *imaginary) {                           \
    if (__builtin_fabs##suffix(c) < __builtin_fabs##suffix(d)) {                                                       \
      TYPE ratio = c / d, denominator = c * ratio + d;                                                                 \
      *real = (a * ratio + b) / denominator;                                                                           \
      *imaginary = (b * ratio - a) / denominator;                                                                      \
    } else {                                                                                                           \
      TYPE ratio = d / c, denominator = d * ratio + c;                                                                 \
      *real = (b * ratio + a) / denominator;                                                                           \
      *imaginary = (b - a * ratio) / denominator;                                                                      \
    }                                                                                                                  \
  }

static void single_quotient(float a, float b, float c, float d, float *real, float *imaginary) {
  double denominator = (double)c * c + (double)d * d;
  *real = (float)(((double)a * c + (double)b * d) / denominator);
  *imaginary = (float)(((double)b * c - (double)a * d) / denominator);
}

PIECES(single, float, f)
PIECES(twice, double, )
PIECES(extended, long double, l)
SMITH(twice, double, )
SMITH(extended, long double, l)
COMPLEX(single, float, __divsc3, __mulsc3)
COMPLEX(twice, double, __divdc3, __muldc3)
COMPLEX(extended, long double, __divxc3, __mulxc3)
