/* The parts of printf: where formatted text goes, and what one conversion asks for. */
#ifndef MNEME_PRINTF_H
#define MNEME_PRINTF_H

#include "libc.h"

/* Where text goes. A buffer keeps the first `capacity` characters; all of them are counted. */
struct sink {
  enum { TO_BUFFER, TO_WIDE_BUFFER, TO_STREAM, TO_DESCRIPTOR } kind;
  char *buffer;
  wchar_t *wide;
  FILE *stream;
  int fd;
  size_t capacity, count;
  bool failed; /* the stream does not take it */
};

static inline bool is_read_back(const struct sink *out) { return out->kind == TO_BUFFER || out->kind == TO_WIDE_BUFFER; }

/* An argument, whatever its type. */
union argument {
  uint64_t integer;
  void *pointer;
  double real;
  long double extended;
};

/* Arguments: the next one of a list, or by their numbers (%2$d). A list inside a structure can be passed by address on
 * every target. */
struct arguments {
  va_list list;
  const union argument *numbered; /* NULL: in the order of the list */
};

enum length { NONE, HH, H, L, LL, Z, T, J, LONG_DOUBLE };

/* A width or precision: as it stands in the format, or the value of an argument. */
struct extent {
  int value;
  bool from_argument;
  int number; /* of the argument; 0: the next one */
};

/* One conversion: %[number$][flags][width][.precision][length]conversion. */
struct spec {
  bool left, plus, space, alternate, zero;
  int number; /* of its argument; 0: the next one */
  struct extent given_width, given_precision;
  int width, precision; /* precision -1: not given */
  enum length length;
  char conversion;
};

void __mneme_emit(struct sink *out, const char *bytes, size_t size);
void __mneme_emit_repeated(struct sink *out, char c, int times);
/* False if a character has no bytes: only ASCII has, but a wide buffer takes them all. */
bool __mneme_emit_wide(struct sink *out, const wchar_t *text, size_t length);

/* The number of characters so far, or -1. */
int __mneme_format(struct sink *out, const char *format, struct arguments *a);

/* The greatest number of an argument in a format, 0 if arguments come in order; -1 if it is beyond what there can
 * be. */
int __mneme_greatest_number(const char *format);
/* Takes `count` arguments from the list, each of the type that the format says. */
void __mneme_take_numbered(const char *format, struct arguments *a, union argument *values, int count);

/* `call`, which uses `list`, with the arguments after `last`. */
#define FORWARD(last, call)                                                                                            \
  va_list list;                                                                                                        \
  va_start(list, last);                                                                                                \
  int count = call;                                                                                                    \
  va_end(list);                                                                                                        \
  return count

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
