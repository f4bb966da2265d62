/* The functions of math.h that are exact: the engine computes them. Others (sin, pow …) are called natively. */
#include "libc.h"

enum { EDOM = 33 };

#define FAMILY(TYPE, suffix)                                                                                           \
  PUBLIC TYPE fabs##suffix(TYPE x) { return __builtin_fabs##suffix(x); }                                               \
  PUBLIC TYPE floor##suffix(TYPE x) { return __builtin_floor##suffix(x); }                                             \
  PUBLIC TYPE ceil##suffix(TYPE x) { return __builtin_ceil##suffix(x); }                                               \
  PUBLIC TYPE trunc##suffix(TYPE x) { return __builtin_trunc##suffix(x); }                                             \
  PUBLIC TYPE round##suffix(TYPE x) { return __builtin_round##suffix(x); }                                             \
  PUBLIC TYPE rint##suffix(TYPE x) { return __builtin_rint##suffix(x); }                                               \
  PUBLIC TYPE nearbyint##suffix(TYPE x) { return __builtin_nearbyint##suffix(x); }                                     \
  PUBLIC long lrint##suffix(TYPE x) { return __builtin_lrint##suffix(x); }                                             \
  PUBLIC long lround##suffix(TYPE x) { return __builtin_lround##suffix(x); }                                           \
  PUBLIC long long llrint##suffix(TYPE x) { return __builtin_llrint##suffix(x); }                                      \
  PUBLIC long long llround##suffix(TYPE x) { return __builtin_llround##suffix(x); }                                    \
  PUBLIC TYPE copysign##suffix(TYPE x, TYPE sign) { return __builtin_copysign##suffix(x, sign); }                      \
  PUBLIC TYPE fmin##suffix(TYPE x, TYPE y) { return __builtin_fmin##suffix(x, y); }                                    \
  PUBLIC TYPE fmax##suffix(TYPE x, TYPE y) { return __builtin_fmax##suffix(x, y); }                                    \
  PUBLIC TYPE fma##suffix(TYPE x, TYPE y, TYPE z) { return __builtin_fma##suffix(x, y, z); }                           \
  PUBLIC TYPE fdim##suffix(TYPE x, TYPE y) { return x > y ? x - y : x == x && y == y ? 0 : x + y; }                    \
                                                                                                                       \
  PUBLIC TYPE sqrt##suffix(TYPE x) {                                                                                   \
    if (x < 0)                                                                                                         \
      errno = EDOM;                                                                                                    \
    return __builtin_sqrt##suffix(x);                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  PUBLIC TYPE fmod##suffix(TYPE x, TYPE y) {                                                                           \
    if (__builtin_isinf(x) || y == 0)                                                                                  \
      errno = EDOM;                                                                                                    \
    return __builtin_fmod##suffix(x, y);                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  PUBLIC TYPE frexp##suffix(TYPE x, int *exponent) { return __builtin_frexp##suffix(x, exponent); }                    \
                                                                                                                       \
  PUBLIC TYPE ldexp##suffix(TYPE x, int n) {                                                                           \
    TYPE result = __builtin_ldexp##suffix(x, n);                                                                       \
    if (__builtin_isfinite(x) && x != 0 && (__builtin_isinf(result) || result == 0))                                   \
      errno = ERANGE;                                                                                                  \
    return result;                                                                                                     \
  }                                                                                                                    \
  PUBLIC TYPE scalbn##suffix(TYPE x, int n) { return ldexp##suffix(x, n); }                                            \
                                                                                                                       \
  PUBLIC TYPE modf##suffix(TYPE x, TYPE *whole) {                                                                      \
    *whole = __builtin_trunc##suffix(x);                                                                               \
    return __builtin_copysign##suffix(__builtin_isinf(x) ? 0 : x - *whole, x);                                         \
  }

FAMILY(float, f)
FAMILY(double, )
FAMILY(long double, l)

/* <time.h> */
PUBLIC double difftime(long later, long earlier) { return (double)later - (double)earlier; }
