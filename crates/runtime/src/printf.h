/* The parts of printf: where formatted text goes, and what one conversion asks for. */
#ifndef MNEME_PRINTF_H
#define MNEME_PRINTF_H

#include "libc.h"

/* Text goes to a file descriptor, or (fd < 0) to a buffer that keeps the first `capacity` bytes. All of it is counted. */
struct sink {
  int fd;
  char *buffer;
  size_t capacity, count;
};

enum length { NONE, HH, H, L, LL, Z, T, J, LONG_DOUBLE };

/* One conversion: %[flags][width][.precision][length]conversion. */
struct spec {
  bool left, plus, space, alternate, zero;
  int width, precision; /* precision -1: not given */
  enum length length;
  char conversion;
};

void __mneme_emit(struct sink *out, const char *bytes, size_t size);
void __mneme_emit_repeated(struct sink *out, char c, int times);

/* `significand` · 2^exponent, exactly, by the conversions e f g a (either case). */
enum float_kind { FLOAT_FINITE, FLOAT_INFINITE, FLOAT_NAN };
struct binary {
  enum float_kind kind;
  bool negative;
  uint64_t significand;
  int exponent;
  int hex_digits, hex_exponent; /* for %a: digits after the point, and the exponent to print */
};
void __mneme_format_double(struct sink *out, const struct spec *spec, double value);
void __mneme_format_long_double(struct sink *out, const struct spec *spec, const unsigned char value[10]);

#endif
